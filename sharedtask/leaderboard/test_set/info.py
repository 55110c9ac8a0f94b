"""What a reader may know of test sets apart from results: their files, and the statistics of released gold.

In: a reader, a task, the moment. Out: `About` of each test set that exists for this reader, in the task's
order. The number of queries does not grow with the test sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from evaluation.scoring.statistics import Statistics
from sharedtask.accounts import roles
from sharedtask.analysis.results import gold_statistics
from sharedtask.competition import task_access
from sharedtask.competition.models import GoldVersion, InputFile, Task, TestSet

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class About:
    test_set: TestSet
    is_sealed: bool
    """Nobody but organisers knows of it yet."""
    text: InputFile | None
    inputs: Sequence[InputFile]
    gold: GoldVersion | None
    """Where its plain copy can be downloaded."""
    is_released: bool
    """Whether its sentences can be looked at."""
    statistics: Statistics | None
    """Of released gold, once a worker has counted."""


def about(viewer: Viewer, task: Task, *, at: datetime, code: str | None = None) -> list[About]:
    """Of all test sets, or of one."""
    known = task_access.test_sets(viewer, task, at=at).select_related("task", "gold_in_force")
    known = known.filter(code=code) if code is not None else known
    sets = list(known.prefetch_related("inputs"))
    role = roles.role_of(viewer, task)
    statistics = gold_statistics(viewer, sets, at=at)
    released = {version.test_set_id for version in task_access.released_gold(viewer, sets, at=at)}
    return [
        About(
            test_set=one,
            is_sealed=not one.is_revealed(at=at),
            text=task_access.raw_text(viewer, one, at=at),
            inputs=task_access.inputs(viewer, one, at=at, role=role),
            gold=task_access.gold_file(viewer, one, at=at, role=role),
            is_released=one.pk in released,
            statistics=statistics.get(one.code),
        )
        for one in sets
    ]
