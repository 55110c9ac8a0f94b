"""The second demo task: grammar induction on the demo treebanks, with three tracks and fictional systems.

`treebanks` turns the demo treebanks into nine columns, `systems` makes the outputs of the fictional systems
from gold, and `load` imports the task and uploads them; the baselines are made by the server.
"""
