"""Results of analyses for other pages: which sets of a run are analysed, and statistics of gold.

In: a viewer, a run or test sets, the moment. Out: codes of test sets, or values by code, as far as the viewer
may see them and workers have made them. The number of queries does not grow with the test sets.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from evaluation.scoring.statistics import Statistics
from sharedtask.accounts.roles import Viewer
from sharedtask.analysis.models import FORMAT, Analysis, GoldAnalysis
from sharedtask.competition import task_access
from sharedtask.competition.models import TestSet
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run


def analysed_sets(viewer: Viewer, run: Run, *, at: datetime) -> frozenset[str]:
    """The codes of the test sets whose sentences can be browsed for this run."""
    scores = run_access.scores_with_breakdowns(viewer, run, at=at)
    analyses = Analysis.objects.filter(score__in=scores, format=FORMAT, failure="")
    return frozenset(analyses.values_list("score__file__test_set__code", flat=True))


def gold_statistics(
    viewer: Viewer, test_sets: Collection[TestSet], *, at: datetime
) -> Mapping[str, Statistics]:
    """Of the version in force of each test set. All are of one task and have `gold_in_force` selected."""
    versions = task_access.released_gold(viewer, test_sets, at=at)
    analyses = GoldAnalysis.objects.filter(gold__in=versions, format=FORMAT)
    rows = analyses.values_list("gold__test_set__code", "statistics")
    return {code: Statistics.from_dict(statistics) for code, statistics in rows}
