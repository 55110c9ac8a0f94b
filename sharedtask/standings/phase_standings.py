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
from sharedtask.competition.tracks import track_order
from sharedtask.standings.figures import standing_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.rankings import RANKING_ORDER

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

MAX_STANDINGS = 300
"""Enough for the newest publication, which has at most three per phase and track; older ones are cut off."""


@dataclass(frozen=True, kw_only=True)
class PhaseStandings:
    phase: Phase
    standings: tuple[Standing, ...] = ()
    """Those of the first track first; of each track in the order of `RANKING_ORDER`."""
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
    newest: dict[tuple[str, str], str] = {}
    for *key, standing in Standing.objects.in_force(phase).values_list("track", "ranking", "public_id"):
        newest.setdefault((key[0], key[1]), standing)
    return in_order(phase, ((*key, standing) for key, standing in newest.items()))


def last_published(phase: Phase, *, may_preview: bool, at: datetime) -> PhaseStandings:
    """One query for the latest publication and its standings of this phase; nothing if it has none."""
    publications = Publication.objects.filter(task=phase.task_id, at__lte=at).order_by("-at", "-pk")
    values = publications.values_list(
        "pk",
        "at",
        "note",
        "standings__phase",
        "standings__track",
        "standings__ranking",
        "standings__public_id",
    )
    rows = list(values[:MAX_STANDINGS])
    of_phase = [row[4:] for row in rows if row[0] == rows[0][0] and row[3] == phase.pk]
    if not of_phase:
        return PhaseStandings(phase=phase, may_preview=may_preview)
    _, published_at, note = rows[0][:3]
    return PhaseStandings(
        phase=phase,
        standings=in_order(phase, of_phase),
        published_at=published_at,
        note=note,
        may_preview=may_preview,
    )


def in_order(phase: Phase, standings: Iterable[tuple[str, str, str]]) -> tuple[Standing, ...]:
    """From tracks, rankings and public ids of standings. A track that the task no longer has is left out."""
    tracks = track_order(phase.task)
    ordered = sorted(
        (tracks.index(track), RANKING_ORDER.index(Standing.Ranking(ranking)), public_id)
        for track, ranking, public_id in standings
        if track in tracks
    )
    return tuple(standing_of(public_id) for _, _, public_id in ordered)
