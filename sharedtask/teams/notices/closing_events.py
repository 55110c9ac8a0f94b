"""Reminders of phases that close within a day, for members of confirmed teams, each with its closing time.

No reminder is sent if the team learned of the closing time less than a day before it, because the phase
opened or was extended so late. If the closing is postponed after a reminder, another one follows a day before
it.
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
from sharedtask.teams.notices.event import NoticeEvent

REMINDER_PERIOD = timedelta(hours=24)


def closing_phases(at: datetime) -> Iterator[NoticeEvent]:
    soon = (at, at + REMINDER_PERIOD)
    closing = Q(closes_at__range=soon) | Q(extensions__closes_at__range=soon)
    phases = Phase.objects.filter(closing, opens_at__lte=at).distinct()
    for phase in phases.select_related("task").prefetch_related("extensions"):
        for closes_at, teams in teams_by_closing(phase, at=at).items():
            yield NoticeEvent(
                task=phase.task,
                kind=Notice.Kind.CLOSING,
                event=f"phase-closing:{phase.pk}:{closes_at.isoformat()}",
                text=f"{phase.title} of {phase.task.title} closes at {closes_at:%Y-%m-%d %H:%M} UTC.",
                path=reverse("team", args=[phase.task.slug]),
                people=User.objects.filter(teams__in=teams),
            )


def teams_by_closing(phase: Phase, *, at: datetime) -> dict[datetime, list[Team]]:
    by_closing = defaultdict(list)
    teams = phase.task.teams.filter(registration=Team.Registration.CONFIRMED, is_baseline=False)
    for team in teams:
        closes_at = phase.closing_time(team)
        if (
            closes_at
            and at < closes_at <= at + REMINDER_PERIOD
            and closing_time_was_known(phase, team, closes_at)
        ):
            by_closing[closes_at].append(team)
    return by_closing


def closing_time_was_known(phase: Phase, team: Team, closes_at: datetime) -> bool:
    """Whether the team has known this closing time for longer than the reminder period."""
    granted = [
        extension.granted_at
        for extension in phase.extensions.all()
        if extension.team_id in (None, team.pk) and extension.closes_at == closes_at
    ]
    since = min(granted) if closes_at != phase.closes_at and granted else phase.opens_at
    return since <= closes_at - REMINDER_PERIOD
