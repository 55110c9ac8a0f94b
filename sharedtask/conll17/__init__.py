"""The CoNLL 2017 shared task as a finished task of this site, from the outputs its real teams delivered.

`data` reads a folder of them, `task` makes a task folder of it, `teams` says who took part, `work` does here
what workers do elsewhere (in `processes`), and `load` puts it all together.
"""
