"""How many runs a team may still upload in a phase, and when the next one comes.

In: a phase, a team and the moment. Out: `Quota`. The team is the unit. A day is a UTC day. Runs that an
organiser granted (`Team.extra_runs`) raise the number in all, and may be spent on any day beyond that day's
number, each of them once. Whoever counts in order to spend has locked the team's row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team


@dataclass(frozen=True, kw_only=True)
class Quota:
    today: int
    """Runs received today that count."""
    in_all: int
    runs_a_day: int | None
    """As the phase says; None where it does not limit."""
    runs_in_all: int | None
    extra_runs: int
    extra_spent: int
    """Of the granted runs, how many were spent on days beyond those days' number."""
    next_day: datetime

    @property
    def left_in_all(self) -> int | None:
        if self.runs_in_all is None:
            return None
        return max(0, self.runs_in_all + self.extra_runs - self.in_all)

    @property
    def left_today(self) -> int | None:
        """With the number in all taken into account."""
        bounds = [self.left_in_all]
        if self.runs_a_day is not None:
            within = max(0, self.runs_a_day - self.today)
            bounds.append(within + max(0, self.extra_runs - self.extra_spent))
        known = [bound for bound in bounds if bound is not None]
        return min(known) if known else None

    @property
    def is_limited(self) -> bool:
        return self.runs_a_day is not None or self.runs_in_all is not None

    @property
    def next_unit_at(self) -> datetime | None:
        """When another run can be uploaded if none can now; None where no day brings one."""
        if self.left_today != 0 or self.left_in_all == 0:
            return None
        return self.next_day


def quota_of(phase: Phase, team: Team, *, at: datetime) -> Quota:
    return quotas_of([phase], team, at=at)[phase.pk]


def quotas_of(phases: Collection[Phase], team: Team, *, at: datetime) -> dict[int, Quota]:
    """By the phase's primary key; one query for all of them."""
    spent = Run.objects.filter(phase__in=phases, team=team).spending_quota().order_by()
    days: dict[int, Counter[datetime]] = {phase.pk: Counter() for phase in phases}
    for phase_id, moment in spent.values_list("phase_id", "received_at"):
        days[phase_id][day_of(moment)] += 1
    return {phase.pk: counted(phase, team, days[phase.pk], at=at) for phase in phases}


def counted(phase: Phase, team: Team, days: Counter[datetime], *, at: datetime) -> Quota:
    """A baseline is the organisers' own and has no quota."""
    day = day_of(at)
    limited = not team.is_baseline
    most = phase.runs_a_day
    beyond = sum(max(0, count - most) for count in days.values()) if most is not None else 0
    return Quota(
        today=days[day],
        in_all=days.total(),
        runs_a_day=phase.runs_a_day if limited else None,
        runs_in_all=phase.runs_in_all if limited else None,
        extra_runs=team.extra_runs,
        extra_spent=beyond,
        next_day=day + timedelta(days=1),
    )


def day_of(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
