"""Which files of some systems have been analysed against released gold, as far as the viewer may see.

In: the field and systems of it. Out: for each system its analyses by test set. Gold is that of the standing,
so that breakdowns and figures tell the same. As many queries for six systems as for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.analysis.models import FORMAT, Analysis
from sharedtask.standings.standing_view import Entrant, StandingView
from sharedtask.submissions import run_access
from sharedtask.visibility.terms import Thing


def analysed(
    viewer: Viewer, field: StandingView, systems: Sequence[Entrant], *, at: datetime
) -> list[Mapping[str, str]]:
    """By the code of the test set, the public id of the analysis; sets in the task's order."""
    runs = run_access.runs_with(viewer, Thing.BREAKDOWN, [one.run for one in systems], at=at)
    made = Analysis.objects.filter(
        score__file__run__in=runs, score__gold__released_at__lte=at, format=FORMAT, failure=""
    ).values_list("score__file__run", "score__file__test_set__code", "score__gold__number", "public_id")
    cited = field.source.standing.table.get("gold", {})
    found = {(run, code): id for run, code, number, id in made if cited.get(code) == number}
    return [
        {code: found[one.run.pk, code] for code in field.test_sets if (one.run.pk, code) in found}
        for one in systems
    ]
