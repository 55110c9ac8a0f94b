"""Everything that a leaderboard depends on, read from the database as plain values.

In: a reader, a task's slug, the wishes and the moment. Out: `Facts`, or None where there is nothing for this
reader. The page is made of `Facts`, of the wishes and of standings, which never change, and of nothing else:
two equal ones give the same page. Three queries for a visitor, whatever the size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.models import Phase, StandingRequest
from sharedtask.leaderboard.board.query import Wishes
from sharedtask.standings import standing_access
from sharedtask.standings.displayed import Track, shown
from sharedtask.standings.figures import standing_of
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

OF_RUNS = (
    "public_id",
    "number",
    "system__public_id",
    "system__name",
    "system__is_primary",
    *(f"team__{name}" for name in ("pk", "public_id", "name", "pseudonym", "is_baseline")),
)
OF_PHASES = ("code", "title", "kind", "feedback", "opens_at", "closes_at", "task")
OF_TASK = (
    "slug",
    "title",
    "profile",
    "missing_policy",
    "baselines_ranked",
    "pseudonymous",
    "results_published_at",
    "citation",
)


class Entrant(NamedTuple):
    """A run in a standing, under the names that its team and its system have for this reader."""

    run: str
    number: int
    system: str
    system_name: str
    is_primary: bool
    name: str
    baseline: bool


class SystemRow(NamedTuple):
    public_id: str
    name: str


class TeamRow(NamedTuple):
    """What the name of a team depends on."""

    pk: int
    public_id: str
    name: str
    pseudonym: str
    is_baseline: bool


@dataclass(frozen=True, kw_only=True)
class Facts:
    slug: str
    title: str
    has_citation: bool
    """The task's page says how it is cited."""
    profile: str
    """Which says how the figures of each metric are printed."""
    missing_policy: str
    baselines_ranked: bool
    phase: str
    phase_title: str
    phases: tuple[tuple[str, str], ...]
    """Code and title of every phase that this reader sees standings of; the first goes without saying."""
    tracks: tuple[Track, ...]
    track: str
    standing: str
    """Public id of the standing that is shown; empty where there is none yet."""
    entrants: tuple[Entrant, ...]
    published_at: datetime | None
    note: str
    is_live: bool
    """Of an open phase, which shows what holds now; else what was published."""
    organises: bool
    under_way: int
    """Runs that will have their place soon; not told of a blind phase, where it would be progress."""
    is_wanted: bool
    """A newer standing is being computed; not told of a blind phase either."""


def phases_of(viewer: Viewer, slug: str, *, at: datetime) -> list[Phase]:
    """The latest first, but before all others the one that is ranked for the record."""
    visible = standing_access.phases_with_standings(viewer, at=at).filter(task__slug=slug)
    known = visible.only(*OF_PHASES, *(f"task__{name}" for name in OF_TASK))
    return sorted(known, key=lambda phase: phase.kind != Phase.Kind.TEST)


def facts_for(viewer: Viewer, slug: str, wishes: Wishes, *, at: datetime) -> tuple[Phase, Facts] | None:
    """The phase as well, for what every page of a task shows around its own content."""
    phases = phases_of(viewer, slug, at=at)
    chosen = next((one for one in phases if not wishes.phase or one.code == wishes.phase), None)
    return None if chosen is None else (chosen, facts_of(viewer, chosen, phases, wishes, at=at))


def facts_of(viewer: Viewer, phase: Phase, phases: Sequence[Phase], wishes: Wishes, *, at: datetime) -> Facts:
    task, is_live = phase.task, phase.feedback == Phase.Feedback.SCORES
    organises = roles.organises(viewer, task)
    found = shown(phase, organises=organises, preview=wishes.preview, at=at)
    track = next((one for one in found.tracks if not wishes.track or one.track == wishes.track), None)
    tells_queue = is_live and task_access.may_see_queue(viewer, phase, at=at)
    return Facts(
        slug=task.slug,
        title=task.title,
        has_citation=bool(task.citation),
        profile=task.profile,
        missing_policy=task.missing_policy,
        baselines_ranked=task.baselines_ranked,
        phase=phase.code,
        phase_title=phase.title,
        phases=tuple((one.code, one.title) for one in phases),
        tracks=found.tracks,
        track=track.track if track else "",
        standing=track.standing if track else "",
        entrants=entrants_of(viewer, phase, track.standing, at=at) if track else (),
        published_at=found.published_at,
        note=found.note,
        is_live=is_live,
        organises=organises,
        under_way=Run.objects.under_way(phase).count() if tells_queue else 0,
        is_wanted=tells_queue and StandingRequest.objects.filter(phase=phase).exists(),
    )


def entrants_of(viewer: Viewer, phase: Phase, standing: str, *, at: datetime) -> tuple[Entrant, ...]:
    """In the order of the standing."""
    named = [row["run"] for row in standing_of(standing).table["rows"]]
    names = team_access.names(viewer, phase.task, at=at)
    found = {}
    for run, number, id, name, is_primary, *rest in Run.objects.filter(public_id__in=named).values_list(
        *OF_RUNS
    ):
        team, system = TeamRow(*rest), SystemRow(id, name)
        found[run] = Entrant(
            run=run,
            number=number,
            system=id,
            system_name=names.system(system, team),
            is_primary=is_primary,
            name=names.team(team),
            baseline=team.is_baseline,
        )
    return tuple(found[run] for run in named if run in found)
