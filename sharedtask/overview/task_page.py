"""What the page of a task shows, to this reader at this moment.

In: the reader, the task, the moment. Out: `TaskPage`. The number of queries is the same for any number of
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
from sharedtask.overview.taking_part import State, Step, steps
from sharedtask.standings import standing_access
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access
from sharedtask.teams.models import Team

SHOWN_ANNOUNCEMENTS = 2
LATEST_RUNS = 5


@dataclass(frozen=True, kw_only=True)
class PhaseRow:
    phase: Phase
    closes_at: datetime | None
    is_open: bool
    blind: bool


@dataclass(frozen=True, kw_only=True)
class SetRow:
    set: TestSet
    sealed: bool
    """Only organisers see such a row."""
    text: InputFile | None
    inputs: Sequence[InputFile]
    gold: GoldVersion | None
    """Where it is public: what is known of it may be told as well."""


@dataclass(frozen=True, kw_only=True)
class Deadline:
    at: datetime
    words: str


@dataclass(frozen=True, kw_only=True)
class TaskCard:
    task: Task
    is_open: bool
    next: Deadline | None


@dataclass(frozen=True, kw_only=True)
class TaskPage:
    team: Team | None
    phases: Sequence[PhaseRow]
    test_sets: Sequence[SetRow]
    next: Deadline | None
    """What the calendar does next; surprise languages are not in it."""
    is_open: bool
    steps: Sequence[Step]
    runs: Sequence[tuple[Run, str]]
    announcements: Sequence[Announcement]
    citation: Citation
    has_results: bool

    @property
    def is_over(self) -> bool:
        return not self.is_open and self.next is None

    @property
    def tells_the_way(self) -> bool:
        """Whoever has taken all the steps need not be told of them any more; nor anybody when all is over."""
        return not self.is_over and any(step.state != State.DONE for step in self.steps)

    @property
    def has_inputs(self) -> bool:
        """More than one file, so that a zip saves work."""
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


def task_page(viewer: Viewer, task: Task, *, at: datetime) -> TaskPage:
    team = team_access.team_of(viewer, task)
    phases = phase_rows(task, team, at=at)
    runs = run_access.own_runs(viewer, task, team)[:LATEST_RUNS]
    told = run_access.states_of_own_runs(viewer, task, runs, at=at)
    is_open = any(row.is_open for row in phases)
    return TaskPage(
        team=team,
        phases=phases,
        test_sets=set_rows(viewer, task, at=at),
        next=next_deadline(phases, at=at),
        is_open=is_open,
        steps=steps(task, signed_in=viewer.is_authenticated, team=team, has_runs=bool(told), is_open=is_open),
        runs=told,
        announcements=list(task.announcements.filter(at__lte=at)[:SHOWN_ANNOUNCEMENTS]),
        citation=citation_of(task.citation),
        has_results=standing_access.phases_with_standings(viewer, task, at=at).exists(),
    )


def phase_rows(task: Task, team: Team | None, *, at: datetime) -> list[PhaseRow]:
    return [
        PhaseRow(
            phase=phase,
            closes_at=phase.closing_time(team),
            is_open=phase.is_open(at=at, team=team),
            blind=task_access.is_blind(phase, at=at),
        )
        for phase in task.phases.prefetch_related("extensions").select_related("task")
    ]


def set_rows(viewer: Viewer, task: Task, *, at: datetime) -> list[SetRow]:
    role = roles.role_of(viewer, task)
    known = task_access.test_sets(viewer, task, at=at).select_related("task", "gold_in_force")
    return [
        SetRow(
            set=one,
            sealed=not one.is_revealed(at=at),
            text=task_access.raw_text(viewer, one, at=at),
            inputs=task_access.inputs(viewer, one, at=at, role=role),
            gold=task_access.gold_file(viewer, one, at=at, role=role),
        )
        for one in known.prefetch_related("inputs")
    ]


def next_deadline(rows: Sequence[PhaseRow], *, at: datetime) -> Deadline | None:
    return soonest([(row.phase, row.closes_at) for row in rows], at=at)


def soonest(phases: Iterable[tuple[Phase, datetime | None]], *, at: datetime) -> Deadline | None:
    """A closing before an opening at the same moment: what ends cannot be made up for."""
    coming = []
    for phase, closes_at in phases:
        coming.append((phase.opens_at, 1, f"{phase.title} opens"))
        if closes_at is not None:
            coming.append((closes_at, 0, f"{phase.title} closes"))
    first = min((one for one in coming if one[0] > at), default=None)
    return Deadline(at=first[0], words=first[2]) if first else None


def task_cards(tasks: QuerySet[Task], *, at: datetime) -> list[TaskCard]:
    """Each task of the first page with what its calendar does next; three queries for all of them."""
    every = tasks.prefetch_related("phases__extensions")
    return [
        TaskCard(
            task=task,
            is_open=any(phase.is_open(at=at) for phase in task.phases.all()),
            next=soonest([(phase, phase.closing_time()) for phase in task.phases.all()], at=at),
        )
        for task in every
    ]
