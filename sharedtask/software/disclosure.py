"""How much a team can learn from a run of its software on inputs that are not public.

The software reads the inputs and decides what its team sees: how it ends, when, and where each output is
invalid. `most_bits` counts all of it. Everything is coarse, and details of invalid files are given for as
many files as fit into `BUDGET_BITS`, so that the sum stays below the budget. docs/software.md has the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb, log2

from evaluation.reading.kinds import KINDS
from sharedtask.submissions.models import RunFile

BUDGET_BITS = 2_000
MAX_REFRESHES = 240
"""What a team sees of a blind execution changes at most so often, once a minute at most."""
LAST_LINE = 2**16 - 1
"""Incidents in later lines are all reported as “after” this line."""
STATUSES = ("working", "no progress", "near a limit")
EXIT_CODES = 257
SIGNALS = 65
LIMITS = 16
TENTHS = 12
"""From 0 to 10, or unknown."""
SECONDS_OF_A_WEEK = 7 * 24 * 3600
MOMENTS_PER_SECOND = 100


@dataclass(frozen=True, kw_only=True)
class CoarseIncident:
    """The first incident of a file: its kind and its line, and nothing that quotes the file."""

    id: str
    title: str
    line: int | None

    @property
    def is_beyond(self) -> bool:
        return self.line is not None and self.line > LAST_LINE


def coarse_incidents(files: Sequence[RunFile]) -> dict[int, CoarseIncident]:
    """By primary key, for the first invalid files of a run."""
    invalid = [file for file in files if file.state == RunFile.State.INVALID and file.incidents]
    return {file.pk: coarse_incident(file) for file in invalid[: details_shown(len(files))]}


def coarse_incident(file: RunFile) -> CoarseIncident:
    fatal = [incident for incident in file.incidents if incident["fatal"]]
    first = (fatal or file.incidents)[0]
    line = first["line"] and min(first["line"], LAST_LINE + 1)
    return CoarseIncident(id=first["id"], title=first["title"], line=line)


def refresh_minutes(minutes: int) -> int:
    """How often the team's view of an execution with this time limit changes."""
    return max(1, ceil(minutes / MAX_REFRESHES))


def details_shown(test_sets: int) -> int:
    """For how many invalid files kind and line can be shown within the budget."""
    left = BUDGET_BITS - 1 - bits_without_details(test_sets)
    return max(0, min(test_sets, int(left / bits_of_details())))


def most_bits(test_sets: int) -> float:
    """The logarithm of the number of different things that a team can see of one execution."""
    return bits_without_details(test_sets) + details_shown(test_sets) * bits_of_details()


def bits_without_details(test_sets: int) -> float:
    while_it_runs = MAX_REFRESHES * log2(len(STATUSES)) + log2(comb(MAX_REFRESHES + test_sets, test_sets))
    end = log2(EXIT_CODES) + log2(SIGNALS) + log2(LIMITS) + 2 * log2(TENTHS)
    # When the state changes, as precisely as somebody can see who keeps asking: started, ended, collected,
    # checked; and when a notice says that there is no progress.
    times = 5 * log2(SECONDS_OF_A_WEEK * MOMENTS_PER_SECOND)
    verdicts = test_sets * log2(len(RunFile.State))
    return while_it_runs + end + times + verdicts


def bits_of_details() -> float:
    return log2(len(KINDS)) + log2(LAST_LINE + 2)
