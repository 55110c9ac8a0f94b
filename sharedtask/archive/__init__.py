"""What outlives the server: the data package of published results, and a task as plain files.

`package/` writes `results.zip`, from which anybody computes the published standings again; `site/` writes the
pages of a finished task as a visitor sees them, with links that work from a disk.
"""
