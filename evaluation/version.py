"""The version of the evaluator and of its wheel, and the command that runs it."""

VERSION = "1.0.0"
"""It changes whenever a score could, with an entry in CHANGELOG.md."""

PROGRAM = f"python -m {__package__}"
"""The package is called `evaluation` in the repository and `arboretum` in the wheel."""
