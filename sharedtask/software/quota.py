"""How many executions and experiments a team may still request: quotas of their own, apart from uploads."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.core.clock import format_time
from sharedtask.core.errors import Refusal
from sharedtask.software.models import Execution
from sharedtask.submissions.quota import Quota, day_of
from sharedtask.teams.models import Team

MAX_UNDER_WAY = 4
"""Of one team, so that it does not fill the queue that all teams share."""
MAX_OF_EXPERIMENTS_UNDER_WAY = 2
"""Of one team. The next part is requested when another has ended, so that runs of others go in between."""


def software_quota(phase: Phase, team: Team, track: str = NO_TRACK, *, at: datetime) -> Quota:
    """In one track. Count it in a transaction that has locked the team."""
    executions = Execution.objects.filter(phase=phase, track=track, team=team).counting_against_quota()
    days = Counter(day_of(requested_at) for requested_at in executions.values_list("requested_at", flat=True))
    limited = not team.is_baseline
    day = day_of(at)
    return Quota(
        today=days[day],
        total=days.total(),
        runs_per_day=phase.software_runs_per_day if limited else None,
        runs_total=phase.software_runs_total if limited else None,
        extra_runs=0,
        extra_spent=0,
        next_day=day + timedelta(days=1),
        closes_at=phase.closing_time(team),
    )


def refuse_too_many_under_way(team: Team) -> None:
    number = Execution.objects.filter(team=team).of_phases().under_way().count()
    if number >= MAX_UNDER_WAY:
        raise Refusal(
            "too-many-executions",
            f"Your team has {number} executions under way. Please wait until one of them has ended.",
            expected=f"at most {MAX_UNDER_WAY} at a time",
        )


def room_for_experiments(team: Team) -> int:
    """How many more executions of experiments the team may have in the queue now."""
    number = Execution.objects.filter(team=team).of_experiments().under_way().count()
    return max(0, MAX_OF_EXPERIMENTS_UNDER_WAY - number)


def experiments_begun(team: Team, *, at: datetime) -> int:
    """On this UTC day. An experiment counts once, however many executions it has."""
    counting = Execution.objects.filter(team=team, requested_at__gte=day_of(at)).of_experiments()
    return counting.counting_against_quota().order_by().values("experiment").distinct().count()


def refuse_beyond_experiments(team: Team, *, at: datetime) -> None:
    """Baselines belong to the organisers and have no quota."""
    limit = team.task.software_experiments_per_day
    begun = experiments_begun(team, at=at)
    if team.is_baseline or begun < limit:
        return
    if limit == 0:
        raise Refusal("experiments-not-offered", "In this task only organisers can start experiments.")
    raise Refusal(
        "experiments-quota-used",
        f"Your team has started {begun} of {limit} experiments today (UTC day). "
        f"You can start the next one from {format_time(day_of(at) + timedelta(days=1))}.",
        found=f"{begun} experiments today (UTC)",
        expected=f"at most {limit} per day",
    )
