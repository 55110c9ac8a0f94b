"""A task as a folder: `task.yaml` with the files beside it. Read, check, plan, apply; and write it again.

fields (what may stand in task.yaml) → parse (text to values with their lines) → read (and the files) →
checks → plan (against the database) → apply; export goes the other way. `jobs.py` does both for the pages,
in a worker.
"""
