"""The three kinds of failure, told apart by class because each has another audience.

- `TeamFault`: the upload is at fault. Its message goes to the team, in words that say what to do.
- `OurFault`: the site is at fault. The team gets an apology, the work is tried again.
- `ConfidentialFault`: the message could reveal test data. Only organisers read it.
"""

from __future__ import annotations


class TeamFault(Exception):
    """The team can mend this: a stable id, what was found, what was expected, one sentence to read."""

    def __init__(self, id: str, message: str, *, found: str = "", expected: str = "") -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.found = found
        self.expected = expected


class OurFault(Exception):
    """The site failed; the work will be tried again and costs the team nothing."""


class ConfidentialFault(Exception):
    """What happened depends on gold, so that only organisers may read the message."""


APOLOGY = (
    "Something went wrong on our side while we worked on this run. It is not your fault, nothing of your "
    "upload is lost, and the organisers have been told."
)
