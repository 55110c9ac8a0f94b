"""The organisers' own scorer as an image, in the order in which it happens.

`receive` takes an upload, `check` stores it rewritten and reads what it declares, the profile of the task
then has its metrics (`competition/scorer.py`), scores by it are requested as by any new version of a profile,
and `run` runs it for each of them, in a container of an engine that runs nothing else (`engine`).
docs/scorers.md has the contract.
"""
