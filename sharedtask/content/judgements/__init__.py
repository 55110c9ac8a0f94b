"""Load human judgements from folders as a finished campaign of this site.

`read` reads the folders, `task` builds a task folder of their gold files, `load` uploads the outputs, and
`campaign` creates the campaign with its items, annotators and judgements.
"""
