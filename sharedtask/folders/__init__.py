"""A task as a folder of files, `task.yaml` and the files it names: read, check, plan, apply, export.

fields (the fields of task.yaml) → parse (text to values with line numbers) → read (and the files) →
checks → plan (against the database) → apply. Export goes the other way. On the site, a worker does both
(`jobs.py`).
"""
