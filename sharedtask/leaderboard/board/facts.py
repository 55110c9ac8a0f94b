"""Everything that a leaderboard depends on, read from the database as plain values.

In: a reader, a task's slug, the query and the time. Out: `Facts`, or None if there are no standings for this
reader. The page is built from `Facts`, the query and standings, which never change. Five queries for a
visitor, whatever the number of systems and test sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q

from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.models import Phase, StandingRequest
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings import standing_access
from sharedtask.standings.figures import standing_of
from sharedtask.standings.phase_standings import StandingRef, standings_of_phase
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

RUN_FIELDS = (
    "public_id",
    "number",
    "system__public_id",
    "system__name",
    "system__is_primary",
    "system__paper_url",
    "system__code_url",
    "team__affiliation",
    *(f"team__{name}" for name in ("pk", "public_id", "name", "pseudonym", "is_baseline")),
)
PHASE_FIELDS = ("code", "title", "kind", "feedback", "opens_at", "closes_at", "results_withheld", "task")
TASK_FIELDS = (
    "slug",
    "title",
    "profile",
    "missing_policy",
    "baselines_ranked",
    "pseudonymous",
    "results_published_at",
    "citation",
    "test_sets_in_all",
)


class BoardEntrant(NamedTuple):
    """A run in a standing, with the names that its team and its system have for this reader."""

    run: str
    number: int
    system: str
    system_name: str
    is_primary: bool
    name: str
    baseline: bool
    affiliation: str
    """Empty under a pseudonym, which it would reveal."""
    paper_url: str
    code_url: str
    """Both empty until this reader may see descriptions of systems."""


class SystemFields(NamedTuple):
    public_id: str
    name: str


class TeamFields(NamedTuple):
    """The fields that the displayed name of a team depends on."""

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
    """The task's page says how to cite it."""
    profile: str
    missing_policy: str
    baselines_ranked: bool
    test_sets_in_all: int | None
    """Of the complete task, if that is known."""
    phase: str
    phase_title: str
    phases: tuple[tuple[str, str], ...]
    """Code and title of every phase with standings that this reader may see; the first is the default."""
    rankings: tuple[StandingRef, ...]
    ranking: str
    standing: str
    """Public id of the displayed standing; empty if there is none yet."""
    gold_is_released: bool
    """All gold that the displayed standing was computed with is public."""
    entrants: tuple[BoardEntrant, ...]
    published_at: datetime | None
    note: str
    is_live: bool
    """The phase shows scores: the board shows the current standing, not the published one."""
    organises: bool
    under_way: int
    """Runs that will be ranked soon; 0 in a blind phase, where it would reveal progress."""
    is_recomputing: bool
    """A newer standing is being computed; False in a blind phase as well."""
    unpublished: tuple[str, ...]
    """Titles of the tests that have closed and whose results this reader does not see yet."""


def phases_of(viewer: Viewer, slug: str, *, at: datetime) -> tuple[list[Phase], tuple[str, ...]]:
    """The phases to choose from, and the titles of the tests that have closed and are not published yet.

    Those with results come first; of these the one that is ranked for the record, then the latest.
    """
    of_task = Phase.objects.filter(task__slug=slug, task__in=task_access.tasks(viewer))
    fields = *PHASE_FIELDS, *(f"task__{name}" for name in TASK_FIELDS)
    in_order = standing_access.results_first(of_task.select_related("task").only(*fields), viewer, at=at)
    visible = standing_access.phases_with_standings(viewer, at=at).filter(task__slug=slug)
    phases = list(standing_access.with_unpublished_tests(in_order, visible, at=at))
    return (
        [phase for phase in phases if phase.is_visible],
        tuple(phase.title for phase in phases if not phase.is_visible),
    )


def facts_for(viewer: Viewer, slug: str, query: BoardQuery, *, at: datetime) -> tuple[Phase, Facts] | None:
    """With the phase, which the frame of every page of a task needs."""
    phases, unpublished = phases_of(viewer, slug, at=at)
    chosen = next((phase for phase in phases if query.phase in ("", phase.code)), None)
    if chosen is None:
        return None
    return chosen, facts_of(viewer, chosen, phases, query, at=at, unpublished=unpublished)


def facts_of(
    viewer: Viewer,
    phase: Phase,
    phases: Sequence[Phase],
    query: BoardQuery,
    *,
    at: datetime,
    unpublished: tuple[str, ...] = (),
) -> Facts:
    task, is_live = phase.task, phase.feedback == Phase.Feedback.SCORES
    organises = roles.organises(viewer, task)
    standings = standings_of_phase(phase, organises=organises, preview=query.preview, at=at)
    chosen = next((ref for ref in standings.rankings if query.ranking in ("", ref.ranking)), None)
    shows_queue = is_live and task_access.may_see_queue(viewer, phase, at=at)
    under_way, is_recomputing = queue_of(phase) if shows_queue else (0, False)
    return Facts(
        slug=task.slug,
        title=task.title,
        has_citation=bool(task.citation),
        profile=task.profile,
        missing_policy=task.missing_policy,
        baselines_ranked=task.baselines_ranked,
        test_sets_in_all=task.test_sets_in_all,
        phase=phase.code,
        phase_title=phase.title,
        phases=tuple((each.code, each.title) for each in phases),
        rankings=standings.rankings,
        ranking=chosen.ranking if chosen else "",
        standing=chosen.standing if chosen else "",
        gold_is_released=chosen is not None
        and standing_access.gold_is_released(standing_of(chosen.standing), at=at),
        entrants=entrants_of(viewer, phase, chosen.standing, at=at) if chosen else (),
        published_at=standings.published_at,
        note=standings.note,
        is_live=is_live,
        organises=organises,
        under_way=under_way,
        is_recomputing=is_recomputing,
        unpublished=unpublished,
    )


def queue_of(phase: Phase) -> tuple[int, bool]:
    """The number of runs under way, and whether a standing has been requested, in one query."""
    requested = Exists(StandingRequest.objects.filter(phase=OuterRef("pk")))
    counted = Count("runs", filter=~Q(runs__state__in=Run.FINAL))
    return Phase.objects.annotate(under_way=counted).values_list("under_way", requested).get(pk=phase.pk)


def entrants_of(viewer: Viewer, phase: Phase, standing: str, *, at: datetime) -> tuple[BoardEntrant, ...]:
    """In the order of the standing."""
    ranked = [row["run"] for row in standing_of(standing).table["rows"]]
    names = team_access.names(viewer, phase.task, at=at)
    entrants = {}
    rows = Run.objects.filter(public_id__in=ranked).values_list(*RUN_FIELDS)
    describes = team_access.visible_descriptions(viewer, phase.task, at=at)
    for run, number, system_id, system_name, is_primary, paper, code, affiliation, *team_values in rows:
        team, system = TeamFields(*team_values), SystemFields(system_id, system_name)
        is_named, is_described = names.are_real_names_shown(team), describes(team.pk)
        entrants[run] = BoardEntrant(
            run=run,
            number=number,
            system=system_id,
            system_name=names.system(system, team),
            is_primary=is_primary,
            name=names.team(team),
            baseline=team.is_baseline,
            affiliation=affiliation if is_named else "",
            paper_url=paper if is_named and is_described else "",
            code_url=code if is_named and is_described else "",
        )
    return tuple(entrants[run] for run in ranked if run in entrants)
