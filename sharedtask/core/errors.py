"""The three kinds of failure, kept apart by class because each has another audience.

- `Refusal`: what was sent or asked for cannot be accepted. Its message goes to whoever asked, in words that
  say what to do.
- `ServerFailure`: the site failed. The team gets an apology, the work is tried again.
- `ConfidentialFailure`: the message could reveal test data. Only organisers read it.
"""

from __future__ import annotations


class Refusal(Exception):
    """The reader can do something about it: a stable id, what was found, what was expected, one sentence."""

    def __init__(self, id: str, message: str, *, found: str = "", expected: str = "") -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.found = found
        self.expected = expected


class ServerFailure(Exception):
    """The site failed; the work will be tried again and costs the team nothing."""


class ConfidentialFailure(Exception):
    """What happened depends on gold, so that only organisers may read the message."""


APOLOGY = (
    "Something went wrong on our side while we worked on this run. It is not your fault, nothing of your "
    "upload is lost, and the organisers have been told."
)
