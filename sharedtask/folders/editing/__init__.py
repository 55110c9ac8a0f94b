"""Editing a task in forms: an edit is a changed task.yaml, which takes the same path as an import.

`description` gives the task as task.yaml would have it, a part (`parts`) reads and writes what one form shows
of it, `edit_task` checks, plans and applies the result. Files are not touched: they come with a folder.
"""
