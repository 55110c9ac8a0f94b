"""Whether the phases of a folder make sense, and whether one of them shows what another hides.

In: a `TaskFolder`. Out: problems. The one that matters most: while a test set is blind in one phase, no
other phase may show scores on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from sharedtask.competition.models import Phase
from sharedtask.folders.parse import Entry
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import TaskFolder


def problems(folder: TaskFolder) -> Iterator[Problem]:
    if not folder.phases:
        yield folder.task.problem("phases", "a task has at least one phase")
    for phase in folder.phases:
        yield from problems_of(phase)
    for test_set in folder.test_sets:
        yield from problems_of_release(test_set.entry)
    yield from leaks(folder)


def problems_of(phase: Entry) -> Iterator[Problem]:
    opens, closes = phase["opens_at"], phase["closes_at"]
    if closes is not None and closes <= opens:
        yield phase.problem("closes_at", "the phase closes before it opens")
    if phase["kind"] == Phase.Kind.TEST and phase["feedback"] != Phase.Feedback.VALIDITY:
        yield phase.problem("feedback", "a test phase is blind: expected validity")
    day, in_all = phase["runs_a_day"], phase["runs_in_all"]
    if day is not None and in_all is not None and day > in_all:
        yield phase.problem("runs_a_day", f"found {day}, expected at most runs_in_all ({in_all})")


def problems_of_release(entry: Entry) -> Iterator[Problem]:
    revealed, released = entry["revealed_at"], entry["inputs_released_at"]
    if revealed is not None and released is not None and released < revealed:
        yield entry.problem("inputs_released_at", "inputs cannot be out before the set is revealed")


def leaks(folder: TaskFolder) -> Iterator[Problem]:
    """A score on a blind set is an oracle, whichever phase gives it."""
    public = {
        one.code for one in folder.test_sets if one.gold and all(version.public for version in one.gold)
    }
    for blind in folder.phases:
        if blind["feedback"] != Phase.Feedback.VALIDITY:
            continue
        for other in folder.phases:
            if other["feedback"] != Phase.Feedback.SCORES:
                continue
            if blind["closes_at"] is not None and other["opens_at"] >= blind["closes_at"]:
                continue
            shared = (sets_of(blind, folder) & sets_of(other, folder)) - public
            if shared:
                yield other.problem(
                    "feedback",
                    f"shows scores on {', '.join(sorted(shared))} before {blind['code']}, which is blind "
                    "and has the same test sets, has closed",
                )


def sets_of(phase: Entry, folder: TaskFolder) -> set[str]:
    every = {one.code for one in folder.test_sets}
    return every if phase["test_sets"] is None else every & set(phase["test_sets"])
