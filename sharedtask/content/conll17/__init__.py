"""The CoNLL 2017 shared task as a finished task of this site, from the outputs its real teams delivered.

`data` reads a folder of them, `test_set` one of its test sets; `task` makes a task folder of it, `teams` says
who took part, `load` uploads what they delivered, and `finish` goes on to published results; `work` does here
what workers do elsewhere.
"""
