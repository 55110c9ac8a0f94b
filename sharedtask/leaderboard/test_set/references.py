"""The references of a test set, and which of them is best for each system: with released gold only.

In: the view of a standing, if there is one, gold that the viewer may download, and a metric. Out:
`References`; None if gold is a single file. Scores are those against the version of gold of the standing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from evaluation.scoring.references import FIRST
from sharedtask.accounts.roles import Viewer
from sharedtask.competition.models import GoldVersion
from sharedtask.standings.standing_view import Entrant, StandingView
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Score
from sharedtask.visibility.terms import Thing


@dataclass(frozen=True, kw_only=True)
class ReferenceRow:
    entrant: Entrant
    best: str
    figures: Sequence[tuple[str, float | None]]
    """By reference, in their order."""


@dataclass(frozen=True, kw_only=True)
class References:
    names: tuple[str, ...]
    """The gold file itself first."""
    metric: str
    """That of the figures."""
    decided_by: str
    """The main metric of the track or task that is decisive."""
    rows: tuple[ReferenceRow, ...]

    @property
    def further(self) -> tuple[str, ...]:
        return self.names[1:]


def references_of(
    viewer: Viewer, view: StandingView | None, gold: GoldVersion | None, metric: str, *, at: datetime
) -> References | None:
    if gold is None or not gold.has_references:
        return None
    names = (FIRST, *gold.references.values_list("name", flat=True))
    return References(
        names=names,
        metric=metric,
        decided_by=view.figures.main[0] if view else "",
        rows=tuple(rows_of(viewer, view, gold, names, metric, at=at)) if view else (),
    )


def rows_of(
    viewer: Viewer,
    view: StandingView,
    gold: GoldVersion,
    names: Sequence[str],
    metric: str,
    *,
    at: datetime,
) -> Iterator[ReferenceRow]:
    """None if the standing was computed with another version of gold."""
    table = view.standing.table
    if table.get("gold", {}).get(gold.test_set.code) != gold.number:
        return
    runs = run_access.runs_with(viewer, Thing.COUNTS, [entrant.run for entrant in view.entrants], at=at)
    scores = Score.objects.done().filter(
        gold=gold, file__run__in=runs, profile_version=table.get("profile_version", "")
    )
    columns = scores.exclude(reference="").values_list("file__run", "reference", "by_reference")
    by_run = {run: (best, figures) for run, best, figures in columns}
    for entrant in view.entrants:
        if entrant.run.pk in by_run:
            best, figures = by_run[entrant.run.pk]
            by_name = [(name, figures.get(name, {}).get(metric)) for name in names]
            yield ReferenceRow(entrant=entrant, best=best, figures=by_name)
