"""The contents of a task's page for a viewer at a given time.

In: the viewer, the task, a time. Out: `TaskOverview`. The number of queries does not depend on the number of
test sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from sharedtask.accounts import roles
from sharedtask.accounts.roles import Viewer
from sharedtask.competition import task_access
from sharedtask.competition.citation import Citation, citation_of
from sharedtask.competition.models import Announcement, GoldVersion, InputFile, Phase, Task, TestSet
from sharedtask.competition.withheld_inputs import withheld_variants
from sharedtask.overview.latest_runs import RunSummary, latest_runs
from sharedtask.overview.participation import State, Step, steps
from sharedtask.standings import standing_access
from sharedtask.teams import team_access
from sharedtask.teams.models import Team

MAX_ANNOUNCEMENTS = 2


@dataclass(frozen=True, kw_only=True)
class PhaseRow:
    phase: Phase
    closes_at: datetime | None
    is_open: bool
    is_upcoming: bool
    blind: bool


@dataclass(frozen=True, kw_only=True)
class SetRow:
    set: TestSet
    sealed: bool
    """Not revealed yet; only organisers see such a row."""
    text: InputFile | None
    inputs: Sequence[InputFile]
    gold: GoldVersion | None
    """If it is public; its statistics may then be shown as well."""


@dataclass(frozen=True, kw_only=True)
class Deadline:
    at: datetime
    text: str


@dataclass(frozen=True, kw_only=True)
class TaskCard:
    task: Task
    is_open: bool
    next: Deadline | None


@dataclass(frozen=True, kw_only=True)
class TaskOverview:
    team: Team | None
    phases: Sequence[PhaseRow]
    test_sets: Sequence[SetRow]
    next: Deadline | None
    """The next opening or closing of a phase. Surprise sets are not included."""
    is_open: bool
    steps: Sequence[Step]
    runs: Sequence[RunSummary]
    announcements: Sequence[Announcement]
    citation: Citation
    has_results: bool

    @property
    def is_over(self) -> bool:
        return not self.is_open and self.next is None

    @property
    def shows_steps(self) -> bool:
        """Show the steps of taking part unless all are done or the task is over."""
        return not self.is_over and any(step.state != State.DONE for step in self.steps)

    @property
    def has_inputs(self) -> bool:
        """More than one file, so that a zip is useful."""
        return sum(len(row.inputs) for row in self.test_sets) > 1

    @property
    def has_notes(self) -> bool:
        return any(row.set.note for row in self.test_sets)

    @property
    def has_licences(self) -> bool:
        return any(row.set.licence for row in self.test_sets)

    @property
    def has_words(self) -> bool:
        return any(row.gold and row.gold.statistics for row in self.test_sets)


def task_overview(viewer: Viewer, task: Task, *, at: datetime) -> TaskOverview:
    role = roles.role_of(viewer, task)
    team = team_access.team_of(viewer, task)
    phases = phase_rows(task, team, at=at)
    own_runs = latest_runs(viewer, task, team, at=at) if team else []
    is_open = any(row.is_open for row in phases)
    return TaskOverview(
        team=team,
        phases=phases,
        test_sets=set_rows(viewer, task, at=at),
        next=next_deadline(phases, at=at),
        is_open=is_open,
        steps=steps(
            task, signed_in=viewer.is_authenticated, team=team, has_runs=bool(own_runs), is_open=is_open
        ),
        runs=own_runs,
        announcements=list(task.announcements.filter(at__lte=at)[:MAX_ANNOUNCEMENTS]),
        citation=citation_of(task.citation),
        has_results=bool(standing_access.phases_to_show([row.phase for row in phases], role, at=at)),
    )


def phase_rows(task: Task, team: Team | None, *, at: datetime) -> list[PhaseRow]:
    return [
        PhaseRow(
            phase=phase,
            closes_at=phase.closing_time(team),
            is_open=phase.is_open(at=at, team=team),
            is_upcoming=at < phase.opens_at,
            blind=task_access.is_blind(phase, at=at),
        )
        for phase in task.phases.prefetch_related("extensions")
    ]


def set_rows(viewer: Viewer, task: Task, *, at: datetime) -> list[SetRow]:
    role = roles.role_of(viewer, task)
    withheld = withheld_variants(task, at=at)
    visible = task_access.test_sets(viewer, task, at=at).select_related("gold_in_force")
    return [
        SetRow(
            set=test_set,
            sealed=not test_set.is_revealed(at=at),
            text=task_access.given_input(viewer, test_set, at=at),
            inputs=task_access.inputs(viewer, test_set, at=at, role=role, withheld=withheld),
            gold=task_access.gold_file(viewer, test_set, at=at, role=role),
        )
        for test_set in visible.prefetch_related("inputs")
    ]


def next_deadline(rows: Sequence[PhaseRow], *, at: datetime) -> Deadline | None:
    return soonest([(row.phase, row.closes_at) for row in rows], at=at)


def soonest(phases: Iterable[tuple[Phase, datetime | None]], *, at: datetime) -> Deadline | None:
    """At the same time, a closing comes before an opening, because a missed closing is final."""
    events = []
    for phase, closes_at in phases:
        events.append((phase.opens_at, 1, f"{phase.title} opens"))
        if closes_at is not None:
            events.append((closes_at, 0, f"{phase.title} closes"))
    first = min((event for event in events if event[0] > at), default=None)
    return Deadline(at=first[0], text=first[2]) if first else None


def task_cards(tasks: QuerySet[Task], *, at: datetime) -> list[TaskCard]:
    """The tasks of the front page with their next deadline; three queries for all of them."""
    tasks = tasks.prefetch_related("phases__extensions")
    return [
        TaskCard(
            task=task,
            is_open=any(phase.is_open(at=at) for phase in task.phases.all()),
            next=soonest([(phase, phase.closing_time()) for phase in task.phases.all()], at=at),
        )
        for task in tasks
    ]
