"""Phases that close within a day, told to the members of confirmed teams, each with its own closing time.

Who was told of this closing time less than a day before it, because the phase opened or was extended so late,
is not told again. A closing that is put off after it was told is told again, a day before the new one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Q
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase
from sharedtask.teams.models import Notice, Team
from sharedtask.teams.notices.fact import Fact

BEFORE = timedelta(hours=24)


def closings(at: datetime) -> Iterator[Fact]:
    soon = (at, at + BEFORE)
    closing = Q(closes_at__range=soon) | Q(extensions__closes_at__range=soon)
    phases = Phase.objects.filter(closing, opens_at__lte=at).distinct()
    for phase in phases.select_related("task").prefetch_related("extensions"):
        for closes_at, teams in teams_by_closing(phase, at=at).items():
            yield Fact(
                task=phase.task,
                kind=Notice.Kind.CLOSING,
                event=f"phase-closing:{phase.pk}:{closes_at.isoformat()}",
                text=f"{phase.title} of {phase.task.title} closes at {closes_at:%Y-%m-%d %H:%M} UTC.",
                path=reverse("team", args=[phase.task.slug]),
                people=User.objects.filter(teams__in=teams),
            )


def teams_by_closing(phase: Phase, *, at: datetime) -> dict[datetime, list[Team]]:
    found = defaultdict(list)
    teams = phase.task.teams.filter(registration=Team.Registration.CONFIRMED, is_baseline=False)
    for team in teams:
        closes_at = phase.closing_time(team)
        if closes_at and at < closes_at <= at + BEFORE and known_for_a_day(phase, team, closes_at):
            found[closes_at].append(team)
    return found


def known_for_a_day(phase: Phase, team: Team, closes_at: datetime) -> bool:
    """Whether the team has had this closing time for longer than the reminder comes before it."""
    granted = [
        extension.granted_at
        for extension in phase.extensions.all()
        if extension.team_id in (None, team.pk) and extension.closes_at == closes_at
    ]
    since = min(granted) if closes_at != phase.closes_at and granted else phase.opens_at
    return since <= closes_at - BEFORE
