"""Which standings of a phase a viewer sees: those in force while the phase shows scores, else the published.

In: a viewer, a phase and the moment. Out: `PhaseStandings`, read in one query (organisers need one more). A
standing itself never changes and is cached.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sharedtask.accounts import roles
from sharedtask.competition.models import Phase
from sharedtask.standings.figures import standing_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.rankings import RANKING_ORDER

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

MAX_STANDINGS = 100
"""Enough for the newest publication, which has at most three standings per phase; older ones are cut off."""


@dataclass(frozen=True, kw_only=True)
class PhaseStandings:
    phase: Phase
    standings: tuple[Standing, ...] = ()
    """In the order of `RANKING_ORDER`."""
    published_at: datetime | None = None
    """None in a phase that shows scores, and where nothing has been published yet."""
    note: str = ""
    may_preview: bool = False
    """Whether the viewer may choose between the published standings and those in force."""


def standings_of_phase(
    viewer: Viewer, phase: Phase, *, at: datetime, preview: bool = False
) -> PhaseStandings:
    """With `preview`, organisers see the standings in force instead of the published ones."""
    if phase.feedback == Phase.Feedback.SCORES:
        return PhaseStandings(phase=phase, standings=standings_in_force(phase))
    organises = roles.organises(viewer, phase.task)
    if preview and organises:
        return PhaseStandings(phase=phase, standings=standings_in_force(phase), may_preview=True)
    published = last_published(phase, may_preview=organises, at=at)
    if published.standings or not organises:
        return published
    return PhaseStandings(phase=phase, standings=standings_in_force(phase), may_preview=True)


def standings_in_force(phase: Phase) -> tuple[Standing, ...]:
    newest: dict[str, str] = {}
    for ranking, standing in Standing.objects.in_force(phase).values_list("ranking", "public_id"):
        newest.setdefault(ranking, standing)
    return in_order(newest.items())


def last_published(phase: Phase, *, may_preview: bool, at: datetime) -> PhaseStandings:
    """One query for the latest publication and its standings of this phase; nothing if it has none."""
    publications = Publication.objects.filter(task=phase.task_id, at__lte=at).order_by("-at", "-pk")
    values = publications.values_list(
        "pk", "at", "note", "standings__phase", "standings__ranking", "standings__public_id"
    )
    rows = list(values[:MAX_STANDINGS])
    of_phase = [row[4:] for row in rows if row[0] == rows[0][0] and row[3] == phase.pk]
    if not of_phase:
        return PhaseStandings(phase=phase, may_preview=may_preview)
    _, published_at, note = rows[0][:3]
    return PhaseStandings(
        phase=phase,
        standings=in_order(of_phase),
        published_at=published_at,
        note=note,
        may_preview=may_preview,
    )


def in_order(standings: Iterable[tuple[str, str]]) -> tuple[Standing, ...]:
    """From pairs of a ranking and the public id of its standing."""
    ordered = sorted(standings, key=lambda pair: RANKING_ORDER.index(Standing.Ranking(pair[0])))
    return tuple(standing_of(public_id) for _, public_id in ordered)
