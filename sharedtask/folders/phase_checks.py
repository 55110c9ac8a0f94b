"""Check the phases of a task folder, and that no phase shows what another one hides.

In: a `TaskFolder`. Out: problems. Most important: while a test set is blind in one phase, no other phase may
show scores on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from sharedtask.competition.models import Phase
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import TaskFolder

MAX_SOFTWARE_MINUTES = 24 * 60


def check_phases(folder: TaskFolder) -> Iterator[Problem]:
    minutes = folder.task["software_minutes"]
    if minutes > MAX_SOFTWARE_MINUTES:
        yield folder.task.problem(
            "software_minutes", f"found {minutes}, expected at most {MAX_SOFTWARE_MINUTES}"
        )
    if not folder.phases:
        yield folder.task.problem("phases", "a task needs at least one phase")
    for phase in folder.phases:
        yield from check_phase(phase)
    for test_set in folder.test_sets:
        yield from check_release_times(test_set.entry)
    yield from find_leaks(folder)


def check_phase(phase: YamlEntry) -> Iterator[Problem]:
    opens, closes = phase["opens_at"], phase["closes_at"]
    if closes is not None and closes <= opens:
        yield phase.problem("closes_at", "the phase closes before it opens")
    if phase["kind"] == Phase.Kind.TEST and phase["feedback"] != Phase.Feedback.VALIDITY:
        yield phase.problem("feedback", "a test phase is blind: expected `validity`")
    for prefix in ("", "software_"):
        day, total = phase[f"{prefix}runs_per_day"], phase[f"{prefix}runs_total"]
        if day is not None and total is not None and day > total:
            yield phase.problem(
                f"{prefix}runs_per_day", f"found {day}, expected at most {prefix}runs_total ({total})"
            )


def check_release_times(entry: YamlEntry) -> Iterator[Problem]:
    revealed, released = entry["revealed_at"], entry["inputs_released_at"]
    if revealed is not None and released is not None and released < revealed:
        yield entry.problem("inputs_released_at", "inputs cannot be released before the set is revealed")


def find_leaks(folder: TaskFolder) -> Iterator[Problem]:
    """A score on a blind set is an oracle, in any phase."""
    public = {
        test_set.code
        for test_set in folder.test_sets
        if test_set.gold and all(version.public for version in test_set.gold)
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
                    "opens_at",
                    f"shows scores on {', '.join(sorted(shared))} before the blind phase {blind['code']}, "
                    "which has the same test sets, has closed",
                )


def sets_of(phase: YamlEntry, folder: TaskFolder) -> set[str]:
    codes = {test_set.code for test_set in folder.test_sets}
    return codes if phase["test_sets"] is None else codes & set(phase["test_sets"])
