"""The version of the evaluator. It changes whenever a score could, with an entry in CHANGELOG.md."""

VERSION = "1.0.0"
