"""Which standings of a phase a reader is shown: in an open phase what holds now, else what was published.

In: a reader, a phase and the moment. Out: `Shown`, the standings by their public ids and the act that
published them, in one query; what is in a standing never changes, and is read through `figures.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import QuerySet

from evaluation import Presentation
from sharedtask.accounts import roles
from sharedtask.competition.models import Phase
from sharedtask.standings.figures import standing_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.submissions.models import Run

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

NOTHING = "–"


class StandingRef(NamedTuple):
    ranking: str
    standing: str
    """Public id."""


class Shown(NamedTuple):
    rankings: tuple[StandingRef, ...]
    """The ranking of record first, what was chosen by score last."""
    published_at: datetime | None = None
    """When the public saw it first; None for an open phase, and for what is not published yet."""
    note: str = ""
    publication: int | None = None


def shown(phase: Phase, *, organises: bool, preview: bool = False, at: datetime) -> Shown:
    """`preview` shows organisers what holds now instead of what was published."""
    live = phase.feedback == Phase.Feedback.SCORES
    if not live and not (preview and organises):
        published = last_published(phase, at=at)
        if published.publication is not None or not organises:
            return published
    newest: dict[str, str] = {}
    for ranking, standing in Standing.objects.in_force(phase).values_list("ranking", "public_id"):
        newest.setdefault(ranking, standing)
    return Shown(in_order(newest.items()))


def last_published(phase: Phase, *, at: datetime) -> Shown:
    """One query for the act and for what it published of this phase, which may be nothing."""
    acts = Publication.objects.filter(task=phase.task_id, at__lte=at).order_by("-at", "-pk")
    told = acts.values_list(
        "pk", "at", "note", "standings__phase", "standings__ranking", "standings__public_id"
    )
    rows = list(told[:MOST_IN_ONE_ACT])
    if not rows:
        return Shown(())
    publication, published_at, note = rows[0][:3]
    of_phase = [row[4:] for row in rows if row[0] == publication and row[3] == phase.pk]
    return Shown(in_order(of_phase), published_at, note, publication)


MOST_IN_ONE_ACT = 100
"""An act publishes at most three standings a phase; older acts come after it and are cut off."""


def in_order(found: Iterable[tuple[str, str]]) -> tuple[StandingRef, ...]:
    rankings = list(Standing.Ranking.values)
    return tuple(sorted((StandingRef(*one) for one in found), key=lambda one: rankings.index(one.ranking)))


def shown_standings(
    viewer: Viewer, phase: Phase, *, at: datetime, preview: bool
) -> tuple[Publication | None, Sequence[Standing]]:
    """The same as rows of the database."""
    live = phase.feedback == Phase.Feedback.SCORES
    organises = not live and roles.organises(viewer, phase.task)
    found = shown(phase, organises=organises, preview=preview, at=at)
    publication = None
    if found.publication is not None and found.published_at is not None:
        publication = Publication(
            pk=found.publication, task=phase.task, at=found.published_at, note=found.note
        )
    return publication, [standing_of(one.standing) for one in found.rankings]


def printed(figure: float | None, presentation: Presentation) -> str:
    return NOTHING if figure is None else presentation.text(figure)


def runs_named_in(standing: Standing) -> QuerySet[Run]:
    return runs_in(standing.table)


def runs_in(table: Mapping[str, Any]) -> QuerySet[Run]:
    named = [one["run"] for one in table.get("rows", ())]
    return Run.objects.filter(public_id__in=named).select_related("team", "system")
