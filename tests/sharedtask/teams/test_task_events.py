"""Notices of events that no job announces: the sweep finds them, once and not too early."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail

from sharedtask.accounts.models import User
from sharedtask.competition.models import Announcement, Phase, Task, TestSet
from sharedtask.operations.sweep_notices import sweep
from sharedtask.standings.models import Publication
from sharedtask.submissions.models import Message, Run
from sharedtask.teams.models import Extension, Notice, Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.people import person
from tests.sharedtask.support.sending import Sent
from workers import tasks

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Messages = list[Sent]
SECOND = timedelta(seconds=1)


def test_an_open_phase_is_reported_and_not_before(aspen: Team, dispatched: Messages, now: datetime) -> None:
    opens_at = now + timedelta(hours=1)
    Phase.objects.update(opens_at=opens_at)
    assert sweep(at=opens_at - SECOND).notified == 0
    assert not Notice.objects.exists()
    assert sweep(at=opens_at).notified == 1
    assert Notice.objects.get().text == "Open phase of A tiny task is open."
    assert sweep(at=opens_at + timedelta(minutes=1)).notified == 0
    assert Notice.objects.count() == 1


def test_surprise_languages_are_reported_together_when_revealed_and_not_before(
    aspen: Team, dispatched: Messages, now: datetime, work: Callable[[], None]
) -> None:
    out = now + timedelta(days=2)
    TestSet.objects.filter(code="de_one").update(revealed_at=out, language="Buryat")
    TestSet.objects.filter(code="en_two").update(revealed_at=out, language="Upper Sorbian")
    sweep(at=out - SECOND)
    assert not Notice.objects.exists()
    sweep(at=out)
    notice = Notice.objects.get()
    assert notice.kind == "surprise"
    assert notice.text == "The surprise languages of A tiny task have been revealed: Buryat, Upper Sorbian."
    work()
    assert len(mail.outbox) == 1


def test_results_announcements_messages_and_extensions_are_reported(
    aspen: Team, ash: User, upload: Upload, dispatched: Messages, task: Task, phase: Phase, now: datetime
) -> None:
    run = upload(good_archive(), team=aspen)
    birch = register(task=task, name="Birch", members=[person("elm")])
    Notice.objects.all().delete()
    Publication.objects.create(task=task, at=now)
    Announcement.objects.create(task=task, at=now, subject="Lunch at noon", text="...")
    Message.objects.create(run=run, original="The secret sauce", released="Look at line 3.", released_at=now)
    Message.objects.create(run=run, original="Another secret")
    Extension.objects.create(phase=phase, team=birch, closes_at=now, reason="A flood.", granted_at=now)
    sweep(at=now)
    result = set(Notice.objects.exclude(user__username="member").values_list("user__username", "kind"))
    assert result == {
        *(("ash", kind) for kind in ("results", "announcement", "message")),
        *(("elm", kind) for kind in ("results", "announcement", "phase")),
    }
    message = " ".join(Notice.objects.values_list("text", flat=True))
    assert "Lunch at noon" in message
    assert "secret" not in message
    assert "A flood" not in message
    assert sweep(at=now + SECOND).notified == 0


def test_the_notice_of_a_second_publication_has_its_note(
    aspen: Team, dispatched: Messages, task: Task, now: datetime
) -> None:
    Notice.objects.all().delete()
    Publication.objects.create(task=task, at=now - SECOND, note="The first.")
    sweep(at=now - SECOND)
    assert set(Notice.objects.values_list("text", flat=True)) == {
        "The results of A tiny task have been published."
    }
    Notice.objects.all().delete()
    Publication.objects.create(task=task, at=now, note="Gold of en_two was corrected. " + "More. " * 60)
    sweep(at=now)
    (text,) = set(Notice.objects.filter(text__contains="again").values_list("text", flat=True))
    beginning = "The results of A tiny task have been published again: Gold of en_two was corrected."
    assert text.startswith(beginning)
    assert len(text) == 300 and text.endswith("…")


def test_old_events_are_not_reported(aspen: Team, dispatched: Messages, task: Task, now: datetime) -> None:
    Announcement.objects.create(task=task, at=now - timedelta(days=8), subject="Long ago", text="...")
    Phase.objects.update(opens_at=now - timedelta(days=8))
    assert sweep(at=now).notified == 0


def test_members_of_declined_teams_and_later_members_are_not_notified(
    aspen: Team, dispatched: Messages, task: Task, now: datetime
) -> None:
    register(task=task, name="Birch", members=[person("elm")])
    Team.objects.filter(name="Birch").update(registration="declined")
    Announcement.objects.create(task=task, at=now, subject="Hello", text="...")
    sweep(at=now)
    register(task=task, name="Cedar", members=[person("yew")])
    sweep(at=now + SECOND)
    assert list(Notice.objects.values_list("user__username", flat=True)) == ["ash"]


def test_the_worker_sweeps_notices(aspen: Team, dispatched: Messages, now: datetime, task: Task) -> None:
    Announcement.objects.create(task=task, at=now, subject="Hello", text="...")
    tasks.sweep_mail()
    assert Notice.objects.get().kind == "announcement"
