"""Load the CoNLL 2017 shared task as a finished task of this site, with the outputs of its real teams.

`data` reads the folder with the data, `test_set` one of its test sets; `task` builds a task folder, `teams`
lists the participants, `load` uploads their outputs, and `finish` continues to published results;
`local_work` does the work of the workers in this command.
"""
