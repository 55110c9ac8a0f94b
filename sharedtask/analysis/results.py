"""What other pages ask of the analyses: breakdowns of a run, statistics of gold, as far as a viewer may see.

In: a viewer, a run or test sets, the moment. Out: values of `evaluation`, by the code of the test set. The
number of queries does not grow with the test sets; what workers have not made yet is not in the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from evaluation.scoring.breakdown import Breakdowns
from evaluation.scoring.statistics import Statistics
from sharedtask.accounts.roles import Viewer
from sharedtask.analysis.models import FORMAT, Analysis, GoldAnalysis
from sharedtask.competition import task_access
from sharedtask.competition.models import TestSet
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run


def breakdowns_of(viewer: Viewer, run: Run, *, at: datetime) -> Mapping[str, Breakdowns]:
    """Against the gold that the viewer may know of, and only where it has been released."""
    shown = run_access.scores_with_breakdowns(viewer, run, at=at)
    made = Analysis.objects.filter(score__in=shown, format=FORMAT, failure="")
    rows = made.order_by("score__file__test_set__position", "score__file__test_set__code")
    found = rows.values_list("score__file__test_set__code", "breakdowns")
    return {code: Breakdowns.from_dict(told) for code, told in found}


def analysed_sets(viewer: Viewer, run: Run, *, at: datetime) -> frozenset[str]:
    """The codes of the test sets whose sentences can be looked at for this run."""
    shown = run_access.scores_with_breakdowns(viewer, run, at=at)
    made = Analysis.objects.filter(score__in=shown, format=FORMAT, failure="")
    return frozenset(made.values_list("score__file__test_set__code", flat=True))


def gold_statistics(
    viewer: Viewer, test_sets: Collection[TestSet], *, at: datetime
) -> Mapping[str, Statistics]:
    """Of the version in force of each test set, all of one task, `gold_in_force` at hand."""
    versions = task_access.released_gold(viewer, test_sets, at=at)
    made = GoldAnalysis.objects.filter(gold__in=versions, format=FORMAT)
    found = made.values_list("gold__test_set__code", "statistics")
    return {code: Statistics.from_dict(told) for code, told in found}
