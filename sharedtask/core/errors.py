"""Three kinds of errors, each a class, because each has another audience.

- `Refusal`: a request or an upload cannot be accepted. Its message is for the person who sent it and says
  what to do.
- `ServerFailure`: the site failed. The team gets an apology, and the work is retried.
- `ConfidentialFailure`: the message could reveal test data. Only organisers can read it. `ProfileFailure` is
  one of the code that the organisers have chosen to score with, `ScorerFailure` one of their own scorer.
"""

from __future__ import annotations

from evaluation.archives.refusal import Refusal as Refusal


class ServerFailure(Exception):
    """The site failed; the work is retried, and the team's quota is not charged."""


class ConfidentialFailure(Exception):
    """The message may reveal something about gold, so that only organisers may read it."""


class ProfileFailure(ConfidentialFailure):
    """The profile of the task, which is code of a third party, failed: not an error of a team.

    The message names the profile. It may quote gold, too.
    """


class ScorerFailure(ProfileFailure):
    """The organisers' own scorer failed. The message has its log; a team learns that it failed, no more."""


SCORER_FAILED = "The scorer failed."
APOLOGY = (
    "A server error occurred while processing this run. Your upload is safe, and the organisers have been "
    "notified."
)
