"""How many runs a team may still upload in a phase, and when it can upload the next one.

In: a phase, a track, a team and the time. Out: `Quota`. Quotas are per team and track; days are UTC days.
Extra runs granted by an organiser for the phase (`ExtraRuns`) raise the total, and each can be used once on
any day beyond that day's quota. To count before recording a run, lock the team's row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import NO_TRACK, track_codes
from sharedtask.submissions.models import Run
from sharedtask.teams.models import ExtraRuns, Team


@dataclass(frozen=True, kw_only=True)
class Quota:
    today: int
    """Runs received today that count."""
    total: int
    runs_per_day: int | None
    """The limit of the phase; None if it has none."""
    runs_total: int | None
    extra_runs: int
    extra_spent: int
    """How many extra runs were used on days beyond those days' quota."""
    next_day: datetime
    closes_at: datetime | None
    """When the phase closes for the team; no run is possible from then on."""

    @property
    def left_total(self) -> int | None:
        if self.runs_total is None:
            return None
        return max(0, self.runs_total + self.extra_runs - self.total)

    @property
    def left_until_closing(self) -> int | None:
        """At most as many as the days until the phase closes allow; None if there is no limit."""
        if self.runs_per_day is None or self.left_today is None or self.closes_at is None:
            return self.left_total
        # The day that begins at the closing time is too late.
        later_days = max(0, -((self.next_day - self.closes_at) // timedelta(days=1)))
        by_days = self.left_today + self.runs_per_day * later_days
        return by_days if self.left_total is None else min(by_days, self.left_total)

    @property
    def left_today(self) -> int | None:
        """The total is taken into account."""
        bounds = [self.left_total]
        if self.runs_per_day is not None:
            within_quota = max(0, self.runs_per_day - self.today)
            bounds.append(within_quota + max(0, self.extra_runs - self.extra_spent))
        limits = [bound for bound in bounds if bound is not None]
        return min(limits) if limits else None

    @property
    def is_limited(self) -> bool:
        return self.runs_per_day is not None or self.runs_total is not None

    @property
    def next_unit_at(self) -> datetime | None:
        """When the next run can be uploaded if none can now; None if there is no such day."""
        if self.left_today != 0 or self.left_total == 0 or self.closes_before_next_day:
            return None
        return self.next_day

    @property
    def closes_before_next_day(self) -> bool:
        return self.closes_at is not None and self.closes_at <= self.next_day


def quota_of(phase: Phase, team: Team, track: str = NO_TRACK, *, at: datetime) -> Quota:
    return quotas_of([phase], team, at=at)[phase.pk, track]


def quotas_of(phases: Collection[Phase], team: Team, *, at: datetime) -> dict[tuple[int, str], Quota]:
    """By the phase's primary key and the code of the track.

    Two queries for all phases if their extensions have been prefetched. Extra runs are granted for a phase
    and can be used in each of its tracks.
    """
    runs = Run.objects.filter(phase__in=phases, team=team).counting_against_quota().order_by()
    days: dict[tuple[int, str], Counter[datetime]] = {
        (phase.pk, track): Counter() for phase in phases for track in track_codes(phase)
    }
    for phase_id, track, received_at in runs.values_list("phase_id", "track", "received_at"):
        if (phase_id, track) in days:
            days[phase_id, track][day_of(received_at)] += 1
    extra = dict(ExtraRuns.objects.filter(phase__in=phases, team=team).values_list("phase_id", "number"))
    by_key = {phase.pk: phase for phase in phases}
    return {
        key: quota_from_days(by_key[key[0]], team, received, extra.get(key[0], 0), at=at)
        for key, received in days.items()
    }


def quota_from_days(
    phase: Phase, team: Team, days: Counter[datetime], extra_runs: int, *, at: datetime
) -> Quota:
    """Baselines belong to the organisers and have no quota."""
    day = day_of(at)
    limited = not team.is_baseline
    daily = phase.runs_per_day
    beyond_daily = sum(max(0, count - daily) for count in days.values()) if daily is not None else 0
    return Quota(
        today=days[day],
        total=days.total(),
        runs_per_day=phase.runs_per_day if limited else None,
        runs_total=phase.runs_total if limited else None,
        extra_runs=extra_runs,
        extra_spent=beyond_daily,
        next_day=day + timedelta(days=1),
        closes_at=phase.closing_time(team),
    )


def day_of(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
