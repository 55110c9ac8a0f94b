"""Notices: once per event, after the commit, not too early, by e-mail unless switched off, retried."""

from __future__ import annotations

import smtplib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import transaction
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.operations.sweep_notices import sweep
from sharedtask.submissions import notify, workflow
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import Notice, NoticeChoice, Team
from sharedtask.teams.notices.mail import MailNotices
from sharedtask.teams.notices.send import members_of, send_notices
from sharedtask.teams.register import register
from sharedtask.work import dispatch, targets
from sharedtask.work.failure import Failure
from tests.sharedtask.support.building import TWO_ROOTS, WRONG_HEAD, good_archive
from tests.sharedtask.support.concurrency import at_once
from tests.sharedtask.support.people import mails_to, person
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.working import check_run, mail_event

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Messages = list[Sent]
SECOND = timedelta(seconds=1)


def say(team: Team, *, event: str = "thing:1", kind: Notice.Kind = Notice.Kind.ANNOUNCEMENT) -> None:
    send_notices(
        people=members_of(team),
        task=team.task,
        kind=kind,
        event=event,
        text="Something\r\nBcc: everybody@example.org",
        path="/tasks/tiny/",
        at=clock.database_now(),
    )


def kinds() -> list[str]:
    return sorted(Notice.objects.values_list("kind", flat=True))


def test_an_upload_is_reported_when_received_checked_and_scored_with_one_mail(
    aspen: Team, ash: User, upload: Upload, work: Callable[[], None]
) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS, de_one=""), team=aspen)
    work()
    texts = dict(Notice.objects.values_list("kind", "text"))
    assert texts == {
        "received": "Run 1 of Aspen was received: run.zip (Open phase).",
        "checked": "Run 1 of Aspen was checked: 1 invalid, 1 missing.",
        "scored": "Run 1 of Aspen was scored: LAS 0.00 (1 invalid, 1 missing).",
    }
    assert [letter.to for letter in mail.outbox] == [["ash@example.org"]]
    assert mail.outbox[0].subject.startswith("[A tiny task] Run 1 of Aspen was scored: LAS 0.00")
    assert f"http://testserver{run.get_absolute_url()}" in mail.outbox[0].body
    assert "http://testserver/account/notices/" in mail.outbox[0].body


def test_the_mail_about_scores_has_the_main_metrics(
    aspen: Team, upload: Upload, work: Callable[[], None]
) -> None:
    Task.objects.update(main_metrics=["LAS", "UAS"])
    upload(good_archive(en_two=WRONG_HEAD), team=aspen)
    work()
    assert mails_to("ash@example.org") == [
        "[A tiny task] Run 1 of Aspen was scored: LAS 83.33, UAS 83.33 (2 valid)."
    ]


def test_in_a_blind_phase_the_check_is_mailed_and_scores_are_not_mentioned(
    aspen: Team, phase: Phase, upload: Upload, work: Callable[[], None]
) -> None:
    Phase.objects.filter(pk=phase.pk).update(feedback="validity", kind="test")
    upload(good_archive(), team=aspen)
    work()
    assert kinds() == ["checked", "received"]
    assert mails_to("ash@example.org") == ["[A tiny task] Run 1 of Aspen was checked: 2 valid."]


def test_received_is_mailed_to_those_who_ask_for_it(aspen: Team, ash: User, work: Callable[[], None]) -> None:
    client = Client()
    client.force_login(ash)
    assert 'id="received-site" value="site" checked' in client.get("/account/notices/").content.decode()
    say(aspen, kind=Notice.Kind.RECEIVED)
    work()
    assert mail.outbox == []
    client.post("/account/notices/", {"received": "both"})
    assert 'id="received-both" value="both" checked' in client.get("/account/notices/").content.decode()
    say(aspen, event="thing:2", kind=Notice.Kind.RECEIVED)
    work()
    assert len(mail.outbox) == 1


def test_many_notices_about_runs_are_one_mail_at_the_next_hour(
    aspen: Team, dispatched: Messages, work: Callable[[], None], now: datetime
) -> None:
    for number in range(6):
        say(aspen, event=f"run:{number}", kind=Notice.Kind.SCORED)
    say(aspen, event="important", kind=Notice.Kind.FAILED)
    work()
    assert len(mail.outbox) == 4, "three about runs, and the failure, which does not wait"
    held = Notice.objects.filter(mailed_at=None)
    assert held.count() == 3
    (due,) = set(held.values_list("mail_after", flat=True))
    assert due is not None
    assert now < due <= now + timedelta(hours=1)
    assert (due.minute, due.second) == (0, 0)
    assert sweep(at=due - SECOND).dispatched == 0
    assert sweep(at=due).dispatched == 3
    at_once(*[partial(mail_event, f"run:{number}", at=due) for number in range(3, 6)])
    assert len(mail.outbox) == 5
    digest = mail.outbox[-1]
    assert digest.subject == "[A tiny task] 3 notices about your runs"
    assert digest.body.count("Something Bcc: everybody@example.org") == 3
    assert digest.body.count("http://testserver/tasks/tiny/") == 3
    assert "http://testserver/account/notices/" in digest.body
    assert not Notice.objects.filter(mailed_at=None).exists()
    assert sweep(at=due + timedelta(hours=1)).dispatched == 0


def test_a_single_held_notice_is_an_ordinary_mail(
    aspen: Team, dispatched: Messages, work: Callable[[], None]
) -> None:
    for number in range(4):
        say(aspen, event=f"run:{number}", kind=Notice.Kind.SCORED)
    work()
    due = Notice.objects.get(mailed_at=None).mail_after
    assert mail_event("run:3", at=due) == 1
    assert mail.outbox[-1].subject == "[A tiny task] Something Bcc: everybody@example.org"


def test_a_refused_archive_is_reported(aspen: Team, upload: Upload, work: Callable[[], None]) -> None:
    upload(b"no archive", team=aspen)
    work()
    assert kinds() == ["failed", "received"]


def test_an_upload_that_is_not_stored_is_not_reported(
    aspen: Team, upload: Upload, dispatched: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("the power fails")

    monkeypatch.setattr(dispatch, "enqueue", broken)
    with pytest.raises(RuntimeError):
        upload(good_archive(), team=aspen)
    assert not Notice.objects.exists()
    assert dispatched == []


def test_nothing_is_dispatched_before_the_commit_nor_after_a_rollback(
    aspen: Team, dispatched: Messages
) -> None:
    with transaction.atomic():
        say(aspen)
        assert dispatched == []
    assert dispatched == [(targets.MAIL_NOTICES, ["thing:1"])]
    with pytest.raises(RuntimeError), transaction.atomic():
        say(aspen, event="thing:2")
        raise RuntimeError
    assert dispatched == [(targets.MAIL_NOTICES, ["thing:1"])]
    assert Notice.objects.count() == 1


def test_the_same_event_gives_one_notice_and_one_mail(aspen: Team, dispatched: Messages) -> None:
    at_once(*[partial(say, aspen)] * 6)
    assert Notice.objects.count() == 1
    sent = at_once(*[partial(mail_event, "thing:1")] * 6)
    assert sum(sent) == 1
    mail_event("thing:1")
    assert len(mails_to("ash@example.org")) == 1


def test_a_line_end_in_a_text_makes_no_header(aspen: Team, work: Callable[[], None]) -> None:
    say(aspen)
    work()
    assert mail.outbox[0].subject == "[A tiny task] Something Bcc: everybody@example.org"
    assert mail.outbox[0].recipients() == ["ash@example.org"]


def test_each_kind_can_be_switched_off_by_mail_or_altogether(
    aspen: Team, ash: User, work: Callable[[], None]
) -> None:
    client = Client()
    client.force_login(ash)
    chosen = dict.fromkeys(Notice.Kind.values, "both") | {"announcement": "site", "phase": "neither"}
    client.post("/account/notices/", chosen)
    assert set(NoticeChoice.objects.values_list("kind", "channel")) == {
        ("announcement", "site"),
        ("phase", "neither"),
        ("received", "both"),
    }
    for kind in Notice.Kind:
        say(aspen, event=f"thing:{kind}", kind=kind)
    work()
    assert set(kinds()) == set(Notice.Kind.values) - {"phase"}
    assert len(mail.outbox) == len(Notice.Kind) - 2
    page = client.get("/account/notices/").content.decode()
    assert 'id="phase-neither" value="neither" checked' in page
    client.post("/account/notices/", {})
    assert not NoticeChoice.objects.exists()


def test_switching_off_holds_for_mails_that_wait_already(
    aspen: Team, ash: User, dispatched: Messages
) -> None:
    say(aspen)
    NoticeChoice.objects.create(user=ash, kind="announcement", channel="site")
    assert mail_event("thing:1") == 0
    assert sweep(at=clock.database_now() + MailNotices.patience * 2).dispatched == 0
    assert mail.outbox == []


def test_an_address_that_is_not_confirmed_gets_no_mail(task: Task, dispatched: Messages) -> None:
    elm = person("elm", confirmed=False)
    say(register(task=task, name="Birch", members=[elm]))
    assert Notice.objects.get().wants_mail is False
    assert dispatched == []


class Refusing(EmailBackend):
    def send_messages(self, messages: Any) -> int:
        raise smtplib.SMTPServerDisconnected("come back later")


def test_what_cannot_be_sent_is_tried_again_after_pauses_that_double(
    aspen: Team, dispatched: Messages, settings: Any, now: datetime
) -> None:
    say(aspen)
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    at = clock.database_now()
    pauses = []
    for _ in range(Notice.MAX_ATTEMPTS):
        assert mail_event("thing:1", at=at) == 0
        until = Notice.objects.get().claimed_until
        assert until is not None
        pauses.append(until - at)
        assert mail_event("thing:1", at=until - SECOND) == 0
        at = until
    assert pauses == [MailNotices.retries.first_pause * 2**n for n in range(Notice.MAX_ATTEMPTS)]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert mail_event("thing:1", at=at + timedelta(days=1)) == 0, "it was given up"
    assert Notice.objects.get().mailed_at is None


def test_the_mail_of_a_dead_worker_is_sent_by_another(aspen: Team, dispatched: Messages) -> None:
    say(aspen)
    at = clock.database_now()
    Notice.objects.update(claimed_until=at + MailNotices.lease)
    assert mail_event("thing:1", at=at) == 0
    dispatched.clear()
    assert sweep(at=at + MailNotices.patience).dispatched == 0
    assert sweep(at=at + MailNotices.lease + SECOND).dispatched == 1
    assert mail_event(str(dispatched[0][1][0]), at=at + MailNotices.lease + SECOND) == 1


def test_a_lost_message_is_found_by_the_sweep(aspen: Team, dispatched: Messages) -> None:
    say(aspen)
    dispatched.clear()
    assert sweep().dispatched == 0, "the message may be under way"
    assert sweep(at=clock.database_now() + MailNotices.patience + SECOND).dispatched == 1
    assert dispatched == [(targets.MAIL_NOTICES, ["thing:1"])]


def test_a_scoring_failure_of_a_blind_run_is_not_reported(
    blind_task: Task, upload: Upload, dispatched: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = register(task=blind_task, name="Alder", members=[person("ash")], confirmed=True)
    run = upload(good_archive(), team=team)
    check_run(run.public_id)
    before = list(Notice.objects.values_list("kind", flat=True))
    score = Score.objects.filter(file__run=run).select_related("file__run", "file__test_set")[0]
    workflow.give_up_score(score, Failure(stage="score", kind="RuntimeError"))
    run.refresh_from_db()
    assert run.state == "failed"
    assert list(Notice.objects.values_list("kind", flat=True)) == before
    Phase.objects.update(feedback="scores")
    notify.send_failed_notice(Run.objects.get(), at=clock.database_now())
    assert "failed" in kinds(), "the same in an open phase is told"


def test_the_page_of_notices_shows_ones_own_and_marks_them_read(
    aspen: Team, ash: User, dispatched: Messages, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        say(aspen, event=f"thing:{number}")
    client = Client()
    client.force_login(ash)
    with django_assert_max_num_queries(12):
        page = client.get("/notices/").content.decode()
    assert page.count('class="unread"') == 50
    assert "60 new" in page
    assert client.get("/notices/?page=2").content.decode().count('class="unread"') == 10
    latest = Notice.objects.latest("created_at").created_at
    say(aspen, event="thing:late")
    Notice.objects.filter(event="thing:late").update(created_at=latest + timedelta(seconds=1))
    for nonsense in ("", "yesterday", "2026-13-32T00:00:00Z", "2026-01-01T00:00:00"):
        assert client.post("/notices/", {"latest": nonsense}).status_code == 302
    assert Notice.objects.unread().count() == 61
    assert f'value="{latest.isoformat()}"' in page
    client.post("/notices/", {"latest": latest.isoformat()})
    assert Notice.objects.unread().get().event == "thing:late", "what came since is still new"
    other = Client()
    other.force_login(person("elm"))
    assert "No notices yet" in other.get("/notices/").content.decode()
    other.post("/notices/", {"latest": (latest + timedelta(days=1)).isoformat()})
    assert Notice.objects.unread().count() == 1
