"""How many executions a team may still request in a phase: a quota of its own, apart from uploads."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.core.errors import Refusal
from sharedtask.software.models import Execution
from sharedtask.submissions.quota import Quota, day_of
from sharedtask.teams.models import Team

MAX_UNDER_WAY = 4
"""Of one team, so that it does not fill the queue that all teams share."""


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
    number = Execution.objects.filter(team=team).under_way().count()
    if number >= MAX_UNDER_WAY:
        raise Refusal(
            "too-many-executions",
            f"Your team has {number} executions under way. Please wait until one of them has ended.",
            expected=f"at most {MAX_UNDER_WAY} at a time",
        )
