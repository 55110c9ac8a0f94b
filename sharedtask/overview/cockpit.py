"""What organisers want to know at a glance: who is in, who is not yet safe, what waits, what went wrong.

In: a task and the moment. Out: `Cockpit`. About a dozen queries, whatever the number of teams and runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.db.models import Exists, OuterRef, Q

from sharedtask.analysis.models import Analysis
from sharedtask.analysis.retry_failed import not_analysed
from sharedtask.competition.models import Phase, Task
from sharedtask.submissions.models import Alarm, Message, Run, RunFile, Score
from sharedtask.submissions.retry_failed import runs_with_failures
from sharedtask.teams.models import Team

MOST = 20
"""Rows of each list; the list of runs, with its filters, has all of them."""


@dataclass(frozen=True, kw_only=True)
class TeamRow:
    team: Team
    runs: int
    """In the phase that is looked at."""
    has_valid_run: bool
    addresses: Sequence[str]
    """Of its members, for those who have to be reminded."""


@dataclass(frozen=True, kw_only=True)
class Coming:
    at: datetime
    what: str


@dataclass(frozen=True, kw_only=True)
class Cockpit:
    phase: Phase | None
    """The blind phase that is open, else the latest that is open, else the one that opened last."""
    closes_at: datetime | None
    is_open: bool
    waiting_for_confirmation: Sequence[Team]
    teams: Sequence[TeamRow]
    queue: Sequence[tuple[str, int]]
    oldest: Run | None
    """The run that has waited longest."""
    scores_waiting: int
    failures: Sequence[Run]
    not_analysed: Sequence[Analysis]
    alarms: Sequence[Alarm]
    messages: Sequence[Message]
    failures_in_all: int
    not_analysed_in_all: int
    alarms_in_all: int
    messages_in_all: int
    coming: Sequence[Coming]

    @property
    def without_valid_run(self) -> list[TeamRow]:
        return [row for row in self.teams if not row.has_valid_run and row.team.is_confirmed]

    @property
    def to_remind(self) -> str:
        """Addresses of those without a valid run, as a mail program takes them."""
        every = [address for row in self.without_valid_run for address in row.addresses]
        return ",".join(quote(address, safe="@") for address in dict.fromkeys(every))

    @property
    def has_work(self) -> bool:
        return any(number for _, number in self.queue) or self.scores_waiting > 0


def cockpit(task: Task, *, at: datetime) -> Cockpit:
    phases = list(task.phases.prefetch_related("extensions").select_related("task"))
    phase = phase_to_look_at(phases, at=at)
    under_way = Run.objects.filter(task=task).exclude(state__in=Run.FINAL)
    states = list(under_way.values_list("state", flat=True).order_by())
    related = ("run__team", "run__phase")
    alarms = Alarm.objects.filter(run__task=task, resolved_at=None).select_related(*related)
    held = Message.objects.filter(run__task=task, released_at=None).select_related(*related)
    failed = runs_with_failures(task).select_related("team", "phase")
    unanalysed = not_analysed(task).select_related("score__file__run__team", "score__file__test_set")
    requested = task.teams.filter(registration=Team.Registration.REQUESTED)
    return Cockpit(
        phase=phase,
        closes_at=phase.closing_time() if phase else None,
        is_open=phase is not None and phase.is_open(at=at),
        waiting_for_confirmation=list(requested.order_by("registered_at")),
        teams=team_rows(task, phase),
        queue=[(state, states.count(state)) for state in ("received", "checking", "scoring")],
        oldest=under_way.select_related("team").order_by("received_at").first(),
        scores_waiting=Score.objects.filter(file__run__task=task, state=Score.State.WAITING).count(),
        failures=list(failed.order_by("-received_at")[:MOST]),
        not_analysed=list(unanalysed[:MOST]),
        alarms=list(alarms[:MOST]),
        messages=list(held[:MOST]),
        failures_in_all=failed.count(),
        not_analysed_in_all=unanalysed.count(),
        alarms_in_all=alarms.count(),
        messages_in_all=held.count(),
        coming=what_comes(task, phases, at=at),
    )


def phase_to_look_at(phases: Sequence[Phase], *, at: datetime) -> Phase | None:
    begun = [phase for phase in phases if phase.opens_at <= at]
    still_open = [phase for phase in begun if phase.is_open(at=at)]
    blind = [phase for phase in still_open if phase.needs_registration]
    return next((some[-1] for some in (blind, still_open, begun) if some), None)


def team_rows(task: Task, phase: Phase | None) -> list[TeamRow]:
    """A valid run: one that counts, of which at least one file is valid."""
    runs = Run.objects.filter(phase=phase).counting()
    valid = RunFile.objects.filter(run__in=runs, run__team=OuterRef("pk"), state=RunFile.State.VALID)
    numbers = Counter(runs.values_list("team_id", flat=True).order_by()) if phase else Counter()
    teams = task.teams.exclude(registration=Team.Registration.DECLINED).prefetch_related("members")
    return [
        TeamRow(
            team=team,
            runs=numbers[team.pk],
            has_valid_run=team.has_valid_run,
            addresses=[person.email for person in team.members.all() if person.email],
        )
        for team in teams.annotate(has_valid_run=Exists(valid)).order_by("has_valid_run", "name")
    ]


def what_comes(task: Task, phases: Sequence[Phase], *, at: datetime) -> list[Coming]:
    """What the clock will do by itself, soonest first."""
    coming = []
    for phase in phases:
        closes_at = phase.closing_time()
        coming.append((phase.opens_at, f"{phase.title} opens"))
        if closes_at is not None:
            coming.append((closes_at, f"{phase.title} closes"))
    later = Q(revealed_at__gt=at) | Q(inputs_released_at__gt=at)
    for test_set in task.test_sets.filter(later):
        if test_set.revealed_at:
            coming.append((test_set.revealed_at, f"{test_set.code} becomes known"))
        if test_set.inputs_released_at:
            coming.append((test_set.inputs_released_at, f"the input of {test_set.code} is out"))
    return [Coming(at=moment, what=what) for moment, what in sorted(coming) if moment > at][:MOST]
