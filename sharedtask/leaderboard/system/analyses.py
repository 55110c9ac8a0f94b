"""The analyses of some systems' outputs against released gold, as far as the viewer may see them.

In: the view and some of its systems. Out: for each system its analyses by test set. The gold version is that
of the standing, so that breakdowns and scores agree. The number of queries does not depend on the number of
systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.analysis.models import FORMAT, Analysis
from sharedtask.standings.standing_view import Entrant, StandingView
from sharedtask.submissions import run_access
from sharedtask.visibility.terms import Thing


def analyses_of(
    viewer: Viewer, view: StandingView, systems: Sequence[Entrant], *, at: datetime
) -> list[Mapping[str, str]]:
    """For each system public ids of analyses by the code of the test set, in the task's order."""
    runs = run_access.runs_with(viewer, Thing.BREAKDOWN, [system.run for system in systems], at=at)
    rows = Analysis.objects.filter(
        score__file__run__in=runs,
        score__gold__released_at__lte=at,
        score__profile_version=view.standing.table.get("profile_version", ""),
        format=FORMAT,
        failure="",
    ).values_list("score__file__run", "score__file__test_set__code", "score__gold__number", "public_id")
    gold_numbers = view.standing.table.get("gold", {})
    analyses = {(run, code): id for run, code, number, id in rows if gold_numbers.get(code) == number}
    return [
        {code: analyses[system.run.pk, code] for code in view.test_sets if (system.run.pk, code) in analyses}
        for system in systems
    ]
