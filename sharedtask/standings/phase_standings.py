"""Which standings of a phase a reader sees: those in force while the phase shows scores, else the published.

In: a reader, a phase and the moment. Out: `PhaseStandings`, the standings by their public ids and the
publication they belong to, in one query. A standing itself never changes and is read through `figures.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sharedtask.accounts import roles
from sharedtask.competition.models import Phase
from sharedtask.standings.figures import standing_of
from sharedtask.standings.models import Publication, Standing

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

MAX_STANDINGS = 100
"""More than one publication has: at most three standings per phase. Rows of older ones come after it."""


class StandingRef(NamedTuple):
    ranking: str
    standing: str
    """Public id."""


class PhaseStandings(NamedTuple):
    rankings: tuple[StandingRef, ...]
    """The ranking of record first, and `best`, which is chosen by score, last."""
    published_at: datetime | None = None
    """None in a phase that shows scores, and where nothing has been published yet."""
    note: str = ""
    publication: int | None = None


def standings_of_phase(
    phase: Phase, *, organises: bool, preview: bool = False, at: datetime
) -> PhaseStandings:
    """`preview` shows organisers the standings in force instead of the published ones."""
    live = phase.feedback == Phase.Feedback.SCORES
    if not live and not (preview and organises):
        published = last_published(phase, at=at)
        if published.rankings or not organises:
            return published
    newest: dict[str, str] = {}
    for ranking, standing in Standing.objects.in_force(phase).values_list("ranking", "public_id"):
        newest.setdefault(ranking, standing)
    return PhaseStandings(in_order(newest.items()))


def last_published(phase: Phase, *, at: datetime) -> PhaseStandings:
    """One query for the latest publication and its standings of this phase; nothing if it has none."""
    publications = Publication.objects.filter(task=phase.task_id, at__lte=at).order_by("-at", "-pk")
    values = publications.values_list(
        "pk", "at", "note", "standings__phase", "standings__ranking", "standings__public_id"
    )
    rows = list(values[:MAX_STANDINGS])
    if not rows:
        return PhaseStandings(())
    publication, published_at, note = rows[0][:3]
    of_phase = [row[4:] for row in rows if row[0] == publication and row[3] == phase.pk]
    if not of_phase:
        return PhaseStandings(())
    return PhaseStandings(in_order(of_phase), published_at, note, publication)


def in_order(standings: Iterable[tuple[str, str]]) -> tuple[StandingRef, ...]:
    order = list(Standing.Ranking.values)
    return tuple(sorted((StandingRef(*pair) for pair in standings), key=lambda ref: order.index(ref.ranking)))


def standings_and_publication(
    viewer: Viewer, phase: Phase, *, at: datetime, preview: bool
) -> tuple[Sequence[Standing], Publication | None]:
    """The same as instances of the models."""
    live = phase.feedback == Phase.Feedback.SCORES
    organises = not live and roles.organises(viewer, phase.task)
    chosen = standings_of_phase(phase, organises=organises, preview=preview, at=at)
    publication = None
    if chosen.publication is not None and chosen.published_at is not None:
        publication = Publication(
            pk=chosen.publication, task=phase.task, at=chosen.published_at, note=chosen.note
        )
    return [standing_of(ref.standing) for ref in chosen.rankings], publication
