"""Events that the teams of a task are notified of: scheduled ones, and what organisers do for all teams.

In: the current time. Out: the events of the last days. No job runs when a phase opens or a surprise language
is revealed: the next sweep finds that it has happened. Only events up to the current time are looked for, so
that nothing is reported too early.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

from django.urls import reverse

from sharedtask.competition.models import Announcement, Phase, TestSet
from sharedtask.teams.models import Extension, Notice
from sharedtask.teams.notices.closing_events import closing_phases
from sharedtask.teams.notices.event import NoticeEvent
from sharedtask.teams.notices.send import members_of, participants_of, send_notices

WINDOW = timedelta(days=7)
"""How long an event is still reported if it could not be reported at once."""


def opened_phases(at: datetime) -> Iterator[NoticeEvent]:
    opened = Phase.objects.begun(at=at).filter(opens_at__gt=at - WINDOW)
    for phase in opened.select_related("task"):
        yield NoticeEvent(
            task=phase.task,
            kind=Notice.Kind.PHASE,
            # The time is part of the event, because a phase that is postponed after it opened opens again.
            event=f"phase-open:{phase.pk}:{phase.opens_at.isoformat()}",
            text=f"{phase.title} of {phase.task.title} is open.",
            path=phase.task.get_absolute_url(),
            people=participants_of(phase.task),
        )


def team_extensions(at: datetime) -> Iterator[NoticeEvent]:
    """Extensions for all teams are announced when they are granted."""
    granted = Extension.objects.filter(team__isnull=False, granted_at__lte=at, granted_at__gt=at - WINDOW)
    for extension in granted.select_related("phase__task", "team"):
        team, phase = extension.team, extension.phase
        assert team is not None
        yield NoticeEvent(
            task=phase.task,
            kind=Notice.Kind.PHASE,
            event=f"extension:{extension.pk}",
            text=f"{phase.title} is open for {team.name} until {extension.closes_at:%Y-%m-%d %H:%M} UTC.",
            path=reverse("team", args=[phase.task.slug]),
            people=members_of(team),
        )


def revealed_surprises(at: datetime) -> Iterator[NoticeEvent]:
    groups: dict[tuple[int, datetime], list[TestSet]] = defaultdict(list)
    revealed = TestSet.objects.revealed(at=at).filter(revealed_at__gt=at - WINDOW)
    for test_set in revealed.select_related("task"):
        assert test_set.revealed_at is not None
        groups[test_set.task_id, test_set.revealed_at].append(test_set)
    for (task_id, revealed_at), test_sets in groups.items():
        task = test_sets[0].task
        languages = sorted({test_set.language for test_set in test_sets})
        yield NoticeEvent(
            task=task,
            kind=Notice.Kind.SURPRISE,
            event=f"surprise:{task_id}:{revealed_at.isoformat()}",
            text=f"The surprise languages of {task.title} have been revealed: {', '.join(languages)}.",
            path=task.get_absolute_url(),
            people=participants_of(task),
        )


def announcements(at: datetime) -> Iterator[NoticeEvent]:
    for announcement in Announcement.objects.filter(at__lte=at, at__gt=at - WINDOW).select_related("task"):
        task = announcement.task
        yield NoticeEvent(
            task=task,
            kind=Notice.Kind.ANNOUNCEMENT,
            event=f"announcement:{announcement.pk}",
            text=f"Announcement in {task.title}: {announcement.subject}",
            path=reverse("announcements", args=[task.slug]),
            people=participants_of(task),
        )


Source = Callable[[datetime], Iterator[NoticeEvent]]

SOURCES: tuple[Source, ...] = (
    opened_phases,
    closing_phases,
    team_extensions,
    revealed_surprises,
    announcements,
)


def notify_of_events(sources: Iterable[Source], *, at: datetime) -> int:
    """Report every event that has not been reported yet. People who join later get no old notices."""
    events = [event for source in sources for event in source(at)]
    keys = [event.event for event in events]
    reported = set(Notice.objects.filter(event__in=keys).values_list("event", flat=True).distinct())
    new_events = [event for event in events if event.event not in reported]
    for event in new_events:
        send_notices(
            people=event.people,
            task=event.task,
            kind=event.kind,
            event=event.event,
            text=event.text,
            path=event.path,
            at=at,
        )
    return len(new_events)
