"""The version of the evaluator and of its wheel, and the command that runs it."""

VERSION = "1.0.0"
"""It changes whenever a score could, with an entry in CHANGELOG.md."""

PROGRAM = "arboretum" if __package__ == "arboretum" else f"python -m {__package__}"
"""The wheel has a command; in the repository the package has the name of its folder."""
