"""The upload page says before anything is sent that a team may not upload, and why."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive

Upload = Callable[..., Run]
pytestmark = pytest.mark.django_db
LATE = datetime(2026, 3, 5, 23, 45, tzinfo=UTC)
MIDNIGHT = datetime(2026, 3, 6, tzinfo=UTC)


@pytest.fixture
def signed_in(client: Client, member: User, team: Team, dispatched: list[Any]) -> Client:
    client.force_login(member)
    return client


def text_of(client: Client, path: str = "/tasks/tiny/upload/") -> str:
    """The page as it is read: white space is one blank, and there are no tags."""
    page = client.get(path).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def form_is_disabled(client: Client) -> bool:
    return "<fieldset disabled>" in client.get("/tasks/tiny/upload/").content.decode()


def refused_with(client: Client, id: str) -> bool:
    archive = SimpleUploadedFile("run.zip", good_archive())
    response = client.post("/tasks/tiny/upload/", {"archive": archive})
    return response.status_code == 400 and f"<code>{id}</code>" in response.content.decode()


def stop_clock(monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
    monkeypatch.setattr(clock, "database_now", lambda: at)


def add_phase(task: Task, **values: Any) -> Phase:
    values = {
        "kind": "post-evaluation",
        "feedback": "scores",
        "opens_at": datetime(2026, 1, 1, tzinfo=UTC),
    } | values
    return Phase.objects.create(task=task, **values)


def test_a_team_that_may_upload_gets_a_form_it_can_use(signed_in: Client) -> None:
    assert not form_is_disabled(signed_in)
    assert "cannot upload" not in text_of(signed_in)


def test_an_unconfirmed_team_learns_it_before_sending(signed_in: Client, phase: Phase, team: Team) -> None:
    Phase.objects.filter(pk=phase.pk).update(feedback="validity")
    Team.objects.filter(pk=team.pk).update(registration="requested")
    assert form_is_disabled(signed_in)
    assert "The organisers have not confirmed your registration yet" in text_of(signed_in)
    assert refused_with(signed_in, "team-not-confirmed")


def test_a_team_that_has_not_accepted_the_rules_learns_it_before_sending(
    signed_in: Client, phase: Phase, task: Task
) -> None:
    Phase.objects.filter(pk=phase.pk).update(feedback="validity")
    Task.objects.filter(pk=task.pk).update(rules="Be fair.", rules_version=2)
    assert form_is_disabled(signed_in)
    assert "You can accept them on your team's page" in text_of(signed_in).replace("&#x27;", "'")
    assert refused_with(signed_in, "rules-not-accepted")


def test_a_team_without_quota_learns_it_before_sending(
    signed_in: Client, phase: Phase, upload: Upload
) -> None:
    Phase.objects.filter(pk=phase.pk).update(runs_total=1)
    upload(good_archive())
    assert form_is_disabled(signed_in)
    assert "1 of 1 runs" in text_of(signed_in)
    assert refused_with(signed_in, "phase-quota-used")


def test_a_team_with_too_many_uploads_learns_it_before_sending(
    signed_in: Client, upload: Upload, settings: Any
) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"uploads_per_day": 1}
    upload(good_archive())
    assert form_is_disabled(signed_in)
    assert "uploaded 1 times within 24 hours" in text_of(signed_in)
    assert refused_with(signed_in, "too-many-uploads")


def test_without_an_open_phase_the_page_says_what_closed_and_what_opens(
    signed_in: Client, task: Task, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    Phase.objects.filter(pk=phase.pk).update(closes_at=LATE)
    add_phase(task, code="post", title="After the test", opens_at=MIDNIGHT)
    stop_clock(monkeypatch, LATE)
    page = text_of(signed_in)
    assert "No phase is open for uploads" in page
    assert re.search(r"Open phase closed on .*23:45 UTC", page)
    assert re.search(r"After the test opens in .*15", page)


def test_of_two_open_phases_only_the_one_without_an_obstacle_can_be_chosen(
    signed_in: Client, task: Task, phase: Phase, upload: Upload
) -> None:
    add_phase(task, code="post", title="After the test")
    Phase.objects.filter(pk=phase.pk).update(runs_total=1)
    upload(good_archive(), phase=phase)
    page = signed_in.get("/tasks/tiny/upload/").content.decode()
    assert "<fieldset disabled>" not in page
    assert '<option value="open" disabled>Open phase</option>' in page
    assert '<option value="post">After the test</option>' in page
    assert "1 of 1 runs in Open phase" in text_of(signed_in)


def test_a_phase_that_closes_before_midnight_promises_no_run_after_it(
    signed_in: Client, phase: Phase, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    Phase.objects.filter(pk=phase.pk).update(
        runs_per_day=1, runs_total=9, closes_at=LATE + timedelta(minutes=10)
    )
    stop_clock(monkeypatch, LATE)
    assert "1 run left" in text_of(signed_in)
    assert "9 in total" not in text_of(signed_in)
    upload(good_archive(), at=LATE)
    for path in ("/tasks/tiny/upload/", "/tasks/tiny/team/"):
        page = text_of(signed_in, path)
        assert "next run in" not in page
        assert "next in" not in page
        assert "8 in total" not in page
        assert "8 remain" not in page
        assert "used up for now" not in page
    assert "before the next day begins" in text_of(signed_in)


def test_a_phase_that_closes_tomorrow_counts_the_runs_of_two_days(
    signed_in: Client, phase: Phase, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    Phase.objects.filter(pk=phase.pk).update(
        runs_per_day=2, runs_total=9, closes_at=MIDNIGHT + timedelta(hours=1)
    )
    stop_clock(monkeypatch, LATE)
    upload(good_archive(), at=LATE)
    assert "1 run left today, 3 in total" in text_of(signed_in)
    assert "1 today, 3 in total" in text_of(signed_in, "/tasks/tiny/team/")


def test_the_queries_of_the_page_do_not_grow_with_the_phases(signed_in: Client, task: Task) -> None:
    add_phase(task, code="two", title="Two", runs_per_day=2)
    with CaptureQueriesContext(connection) as few:
        signed_in.get("/tasks/tiny/upload/")
    for number in range(5):
        add_phase(task, code=f"more-{number}", title="More", runs_per_day=2)
    with CaptureQueriesContext(connection) as many:
        signed_in.get("/tasks/tiny/upload/")
    assert len(many) == len(few)
