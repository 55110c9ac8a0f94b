"""What a reader may know about test sets apart from results: their files, and statistics of released gold.

In: a viewer, a task, the time. Out: a `TestSetInfo` for each test set that exists for this viewer, in the
task's order. The number of queries does not grow with the number of test sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from evaluation.scoring.new_words import NewWords
from evaluation.scoring.statistics import Statistics
from sharedtask.accounts import roles
from sharedtask.analysis.results import gold_statistics
from sharedtask.competition import task_access
from sharedtask.competition.models import GoldVersion, InputFile, Task, TestSet
from sharedtask.competition.withheld_inputs import withheld_variants

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class TestSetInfo:
    test_set: TestSet
    is_sealed: bool
    """Only organisers know of it yet."""
    text: InputFile | None
    inputs: Sequence[InputFile]
    gold: GoldVersion | None
    """The version whose plain copy can be downloaded."""
    is_released: bool
    """Whether its sentences can be viewed."""
    statistics: Statistics | None
    """Of released gold, once a worker has counted."""

    @property
    def new_words(self) -> NewWords | None:
        """Of gold with training data."""
        counts = self.gold.statistics if self.gold else {}
        if "new_word_types" not in counts:
            return None
        return NewWords(types=counts["word_types"], new=counts["new_word_types"])


def test_set_infos(viewer: Viewer, task: Task, *, at: datetime, code: str | None = None) -> list[TestSetInfo]:
    """Of all test sets, or of one."""
    visible = task_access.test_sets(viewer, task, at=at).select_related("gold_in_force")
    visible = visible.filter(code=code) if code is not None else visible
    test_sets = list(visible.prefetch_related("inputs"))
    role = roles.role_of(viewer, task)
    withheld = withheld_variants(task, at=at)
    statistics = gold_statistics(viewer, test_sets, at=at)
    released = {version.test_set_id for version in task_access.released_gold(viewer, test_sets, at=at)}
    return [
        TestSetInfo(
            test_set=test_set,
            is_sealed=not test_set.is_revealed(at=at),
            text=task_access.given_input(viewer, test_set, at=at),
            inputs=task_access.inputs(viewer, test_set, at=at, role=role, withheld=withheld),
            gold=task_access.gold_file(viewer, test_set, at=at, role=role),
            is_released=test_set.pk in released,
            statistics=statistics.get(test_set.code),
        )
        for test_set in test_sets
    ]
