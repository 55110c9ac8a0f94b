"""What all teams of a task are told: what the clock did, and what organisers did for all.

In: the moment. Out: the facts of the last days that can be told at it, each with the words of its event. No
job runs when a phase opens or a surprise language comes out: the next sweep finds that it has happened.
A fact is looked for only among what has happened by then, so that nothing is told before its time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

from django.urls import reverse

from sharedtask.competition.models import Announcement, Phase, TestSet
from sharedtask.teams.models import Extension, Notice
from sharedtask.teams.notices.about_closings import closings
from sharedtask.teams.notices.fact import Fact
from sharedtask.teams.notices.tell import members_of, participants_of, tell

WINDOW = timedelta(days=7)
"""How long after it happened something is still news, if nothing could be told before."""


def opened_phases(at: datetime) -> Iterator[Fact]:
    opened = Phase.objects.begun(at=at).filter(opens_at__gt=at - WINDOW)
    for phase in opened.select_related("task"):
        yield Fact(
            task=phase.task,
            kind=Notice.Kind.PHASE,
            # With the time, for a phase that is put off after it opened opens again.
            event=f"phase-open:{phase.pk}:{phase.opens_at.isoformat()}",
            text=f"{phase.title} of {phase.task.title} is open.",
            path=phase.task.get_absolute_url(),
            people=participants_of(phase.task),
        )


def extensions_for_one_team(at: datetime) -> Iterator[Fact]:
    """An extension for all is announced by the organiser who grants it."""
    granted = Extension.objects.filter(team__isnull=False, granted_at__lte=at, granted_at__gt=at - WINDOW)
    for extension in granted.select_related("phase__task", "team"):
        team, phase = extension.team, extension.phase
        assert team is not None
        yield Fact(
            task=phase.task,
            kind=Notice.Kind.PHASE,
            event=f"extension:{extension.pk}",
            text=f"{phase.title} is open for {team.name} until {extension.closes_at:%Y-%m-%d %H:%M} UTC.",
            path=reverse("team", args=[phase.task.slug]),
            people=members_of(team),
        )


def surprises(at: datetime) -> Iterator[Fact]:
    together: dict[tuple[int, datetime], list[TestSet]] = defaultdict(list)
    out = TestSet.objects.revealed(at=at).filter(revealed_at__gt=at - WINDOW)
    for test_set in out.select_related("task"):
        assert test_set.revealed_at is not None
        together[test_set.task_id, test_set.revealed_at].append(test_set)
    for (task_id, revealed_at), test_sets in together.items():
        task = test_sets[0].task
        languages = sorted({test_set.language for test_set in test_sets})
        yield Fact(
            task=task,
            kind=Notice.Kind.SURPRISE,
            event=f"surprise:{task_id}:{revealed_at.isoformat()}",
            text=f"The surprise languages of {task.title} are out: {', '.join(languages)}.",
            path=task.get_absolute_url(),
            people=participants_of(task),
        )


def announcements(at: datetime) -> Iterator[Fact]:
    for announcement in Announcement.objects.filter(at__lte=at, at__gt=at - WINDOW).select_related("task"):
        task = announcement.task
        yield Fact(
            task=task,
            kind=Notice.Kind.ANNOUNCEMENT,
            event=f"announcement:{announcement.pk}",
            text=f"The organisers of {task.title} write: {announcement.subject}",
            path=reverse("announcements", args=[task.slug]),
            people=participants_of(task),
        )


Source = Callable[[datetime], Iterator[Fact]]

SOURCES: tuple[Source, ...] = (
    opened_phases,
    closings,
    extensions_for_one_team,
    surprises,
    announcements,
)


def tell_what_happened(sources: Iterable[Source], *, at: datetime) -> int:
    """Tell every fact that nobody has been told yet; those who join later are not told old news."""
    facts = [fact for source in sources for fact in source(at)]
    events = [fact.event for fact in facts]
    known = set(Notice.objects.filter(event__in=events).values_list("event", flat=True).distinct())
    news = [fact for fact in facts if fact.event not in known]
    for fact in news:
        tell(
            people=fact.people,
            task=fact.task,
            kind=fact.kind,
            event=fact.event,
            text=fact.text,
            path=fact.path,
            at=at,
        )
    return len(news)
