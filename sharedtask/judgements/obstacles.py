"""Why the trees of a campaign may not be shown to annotators yet.

In: a campaign, or its phase and test sets, and the moment. Out: sentences; none if nothing is in the way. A
tree of an output in a blind phase is shown to nobody while a team can still upload there, because annotators
may know teams; the same holds for every other blind phase with the same test set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from sharedtask.competition import task_access
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.visibility.terms import SetState


def obstacles(task: Task, test_sets: Iterable[TestSet], *, at: datetime) -> list[str]:
    test_sets = list(test_sets)
    sentences = [*unreleased_inputs(test_sets, at=at), *open_blind_phases(task, test_sets, at=at)]
    if not test_sets:
        sentences.append("The campaign has no test sets.")
    return sentences


def unreleased_inputs(test_sets: Iterable[TestSet], *, at: datetime) -> Iterator[str]:
    for test_set in test_sets:
        if task_access.facts_of_test_set(test_set, at=at).set != SetState.RELEASED:
            yield f"The input of {test_set.code} has not been released yet."


def open_blind_phases(task: Task, test_sets: Iterable[TestSet], *, at: datetime) -> Iterator[str]:
    keys = {test_set.pk for test_set in test_sets}
    phases = task.phases.prefetch_related("extensions", "test_sets")
    for phase in phases:
        shared = sorted(test_set.code for test_set in phase.test_sets.all() if test_set.pk in keys)
        if shared and task_access.is_blind(phase, at=at) and not has_closed(phase, at=at):
            yield f"{phase.title} is blind and has not closed for all teams yet ({', '.join(shared)})."


def has_closed(phase: Phase, *, at: datetime) -> bool:
    last = phase.last_closing_time()
    return last is not None and last <= at
