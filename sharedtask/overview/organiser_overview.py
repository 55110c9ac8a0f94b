"""The organisers' overview of a task: teams, teams without a valid run, waiting work, failures, alarms.

In: a task and a time. Out: `OrganiserOverview`, with about a dozen queries for any number of teams and runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.db.models import Exists, OuterRef

from sharedtask.analysis.models import Analysis
from sharedtask.analysis.retry_failed import not_analysed
from sharedtask.competition.models import Phase, Task
from sharedtask.overview.scheduled_events import ScheduledEvent, scheduled_events
from sharedtask.submissions.alarms.groups import AlarmGroup, group_alarms
from sharedtask.submissions.models import Alarm, Message, Run, RunFile, Score
from sharedtask.submissions.retry_failed import runs_with_failures
from sharedtask.teams.models import ExtraRuns, Team

MAX_ROWS = 20
"""Per list; the list of runs, with its filters, shows all of them."""


@dataclass(frozen=True, kw_only=True)
class TeamRow:
    team: Team
    runs: int
    """In the current phase."""
    has_valid_run: bool
    extra_runs: int
    """Granted in the current phase."""
    addresses: Sequence[str]
    """E-mail addresses of its members, for reminders."""


@dataclass(frozen=True, kw_only=True)
class OrganiserOverview:
    phase: Phase | None
    """The open blind phase, or else the latest open phase, or else the phase that opened last."""
    closes_at: datetime | None
    is_open: bool
    waiting_for_confirmation: Sequence[Team]
    teams: Sequence[TeamRow]
    queue: Sequence[tuple[str, int]]
    oldest: Run | None
    """The run that has been waiting longest."""
    scores_waiting: int
    failures: Sequence[Run]
    not_analysed: Sequence[Analysis]
    alarms: Sequence[AlarmGroup]
    messages: Sequence[Message]
    failure_count: int
    not_analysed_count: int
    alarm_count: int
    message_count: int
    upcoming: Sequence[ScheduledEvent]

    @property
    def has_more(self) -> bool:
        """Alarms, failures or messages that are not listed."""
        listed = (self.alarms, self.failures, self.messages)
        return self.alarm_count + self.failure_count + self.message_count > sum(map(len, listed))

    @property
    def without_valid_run(self) -> list[TeamRow]:
        return [row for row in self.teams if not row.has_valid_run and row.team.is_confirmed]

    @property
    def to_remind(self) -> str:
        """Addresses of teams without a valid run, for a mailto link."""
        addresses = [address for row in self.without_valid_run for address in row.addresses]
        return ",".join(quote(address, safe="@") for address in dict.fromkeys(addresses))


def build_overview(task: Task, *, at: datetime) -> OrganiserOverview:
    phases = list(task.phases.prefetch_related("extensions"))
    phase = current_phase(phases, at=at)
    unfinished = Run.objects.filter(task=task).exclude(state__in=Run.FINAL)
    states = list(unfinished.values_list("state", flat=True).order_by())
    related = ("run__team", "run__phase")
    alarms = Alarm.objects.filter(run__task=task, resolved_at=None)
    groups = group_alarms(alarms.select_related(*related, "file__test_set"))
    unreleased = Message.objects.filter(run__task=task, released_at=None).select_related(*related)
    failed = runs_with_failures(task).select_related("team", "phase")
    unanalysed = not_analysed(task).select_related("score__file__run__team", "score__file__test_set")
    requested = task.teams.filter(registration=Team.Registration.REQUESTED)
    return OrganiserOverview(
        phase=phase,
        closes_at=phase.closing_time() if phase else None,
        is_open=phase is not None and phase.is_open(at=at),
        waiting_for_confirmation=list(requested.order_by("registered_at")),
        teams=team_rows(task, phase),
        queue=[(state, states.count(state)) for state in ("received", "checking", "scoring")],
        oldest=unfinished.select_related("team").order_by("received_at").first(),
        scores_waiting=Score.objects.filter(file__run__task=task, state=Score.State.WAITING).count(),
        failures=list(failed.order_by("-received_at")[:MAX_ROWS]),
        not_analysed=list(unanalysed[:MAX_ROWS]),
        alarms=groups[:MAX_ROWS],
        messages=list(unreleased[:MAX_ROWS]),
        failure_count=failed.count(),
        not_analysed_count=unanalysed.count(),
        alarm_count=len(groups),
        message_count=unreleased.count(),
        upcoming=[event for event in scheduled_events(task, phases) if event.at > at][:MAX_ROWS],
    )


def current_phase(phases: Sequence[Phase], *, at: datetime) -> Phase | None:
    started = [phase for phase in phases if phase.opens_at <= at]
    open_phases = [phase for phase in started if phase.is_open(at=at)]
    blind = [phase for phase in open_phases if phase.needs_registration]
    return next((group[-1] for group in (blind, open_phases, started) if group), None)


def team_rows(task: Task, phase: Phase | None) -> list[TeamRow]:
    """A valid run is one that counts and has at least one valid file."""
    runs = Run.objects.filter(phase=phase).counting()
    valid = RunFile.objects.filter(run__in=runs, run__team=OuterRef("pk"), state=RunFile.State.VALID)
    numbers = Counter(runs.values_list("team_id", flat=True).order_by()) if phase else Counter()
    granted = ExtraRuns.objects.filter(phase=phase).values_list("team_id", "number")
    extra_runs = dict(granted) if phase else {}
    teams = task.teams.exclude(registration=Team.Registration.DECLINED).prefetch_related("members")
    return [
        TeamRow(
            team=team,
            runs=numbers[team.pk],
            has_valid_run=team.has_valid_run,
            extra_runs=extra_runs.get(team.pk, 0),
            addresses=[person.email for person in team.members.all() if person.email],
        )
        for team in teams.annotate(has_valid_run=Exists(valid)).order_by("has_valid_run", "name")
    ]
