"""Organisers change the times of a phase: with a reason, logged, announced on request, never a leak."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.change_times import change_times
from sharedtask.competition.models import Announcement, AuditEntry, GoldVersion, Phase, StandingRequest, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.folders.load_task import BadTaskFolder, load_task
from sharedtask.submissions.models import Run
from sharedtask.teams.extend import extend
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import good_archive

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def test_phase(blind_task: Task) -> Phase:
    phase = blind_task.phases.get()
    phase.closes_at = clock.database_now().replace(microsecond=0) + DAY
    phase.save()
    return phase


def change(phase: Phase, by: User, **values: Any) -> Phase:
    expected = {"opens_at": phase.opens_at, "closes_at": phase.closes_at, "reason": "The hall burned down."}
    return change_times(phase=phase, by=by, **{"announce_change": False, **expected, **values})


def refusal_of(act: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value.id


def test_new_times_are_in_the_log_with_the_old_ones_and_are_announced_on_request(
    test_phase: Phase, organiser: User
) -> None:
    before = test_phase.closes_at
    assert before is not None
    change(test_phase, organiser, closes_at=before + DAY)
    assert not Announcement.objects.exists()
    change(Phase.objects.get(), organiser, closes_at=before + 2 * DAY, announce_change=True)
    assert Phase.objects.get().closes_at == before + 2 * DAY
    entry = AuditEntry.objects.filter(action="change-times").earliest("at")
    assert entry.who_name == "organiser"
    assert entry.reason == "The hall burned down."
    assert entry.details["closes_at"] == [before.isoformat(), (before + DAY).isoformat()]
    assert "opens_at" not in entry.details
    announcement = Announcement.objects.get()
    assert "The hall burned down." in announcement.text
    assert StandingRequest.objects.filter(phase=test_phase).exists(), (
        "which runs were in time may have changed"
    )


def test_closing_in_the_past_has_to_be_confirmed(test_phase: Phase, organiser: User) -> None:
    past = clock.database_now() - timedelta(minutes=1)
    assert refusal_of(lambda: change(test_phase, organiser, closes_at=past)) == "closes-in-the-past"
    change(test_phase, organiser, closes_at=past, allow_past=True)
    assert not Phase.objects.get().is_open(at=clock.database_now())


def test_impossible_times_are_refused(test_phase: Phase, organiser: User) -> None:
    opens, closes = test_phase.opens_at, test_phase.closes_at
    assert closes is not None
    for values, expected in (
        ({}, "times-unchanged"),
        ({"closes_at": opens}, "closes-before-it-opens"),
        ({"closes_at": closes + DAY, "reason": " "}, "reason-missing"),
    ):
        assert refusal_of(lambda values=values: change(test_phase, organiser, **values)) == expected  # type: ignore[misc]
    extend(phase=test_phase, closes_at=closes + 2 * DAY, reason="A strike.", by=organiser)
    assert refusal_of(lambda: change(test_phase, organiser, closes_at=closes + DAY)) == "extension-in-force"
    assert AuditEntry.objects.filter(action="change-times").count() == 0


def test_accepted_runs_do_not_become_late(
    test_phase: Phase, organiser: User, blind_team: Team, upload: Callable[..., Run]
) -> None:
    upload(good_archive(), team=blind_team)
    now = clock.database_now()
    late = now - timedelta(minutes=5)
    Run.objects.update(received_at=now - timedelta(minutes=1))
    act = lambda **values: change(test_phase, organiser, allow_past=True, **values)  # noqa: E731
    assert refusal_of(lambda: act(opens_at=now)) == "runs-before-opening"
    assert refusal_of(lambda: act(closes_at=late)) == "runs-after-closing"
    Run.objects.update(status="rejected")
    act(closes_at=late)


def test_a_test_whose_answers_are_known_is_not_reopened(
    test_phase: Phase, organiser: User, tmp_path: Path
) -> None:
    closes = test_phase.closes_at
    assert closes is not None
    GoldVersion.objects.update(released_at=clock.database_now())
    assert refusal_of(lambda: change(test_phase, organiser, closes_at=closes + DAY)) == "gold-released"
    GoldVersion.objects.update(released_at=F("created_at"))
    change(test_phase, organiser, closes_at=closes + DAY)  # It was public from the first.
    GoldVersion.objects.update(released_at=None)
    Task.objects.update(results_published_at=clock.database_now())
    assert refusal_of(lambda: change(test_phase, organiser, closes_at=None)) == "results-published"
    with pytest.raises(BadTaskFolder, match="closes_at: The results of Test phase have been published"):
        load_task(tmp_path / "blind")


def test_no_phase_shows_scores_on_what_is_still_blind_in_another(
    test_phase: Phase, organiser: User, blind_task: Task
) -> None:
    closes = test_phase.closes_at
    assert closes is not None
    after = Phase.objects.create(
        task=blind_task, code="after", kind="post-evaluation", title="After", feedback="scores",
        opens_at=closes + DAY,
    )  # fmt: skip
    after.test_sets.set(blind_task.test_sets.all())
    assert refusal_of(lambda: change(after, organiser, opens_at=closes - DAY)) == "scores-would-leak"
    assert (
        refusal_of(lambda: change(test_phase, organiser, closes_at=closes + 2 * DAY)) == "scores-would-leak"
    )
    assert refusal_of(lambda: change(test_phase, organiser, closes_at=None)) == "scores-would-leak"
    change(after, organiser, opens_at=closes)
    change(test_phase, organiser, closes_at=closes - timedelta(hours=1))


@pytest.mark.parametrize("way", ["withheld", "opened after the publication"])
def test_publishing_a_dry_run_neither_ends_a_test_nor_its_blindness(
    test_phase: Phase, organiser: User, blind_task: Task, way: str
) -> None:
    closes = test_phase.closes_at
    assert closes is not None
    if way == "withheld":
        Task.objects.update(results_published_at=clock.database_now())
        Phase.objects.update(results_withheld=True)
    else:
        Task.objects.update(results_published_at=test_phase.opens_at - DAY)
    after = Phase.objects.create(
        task=blind_task, code="after", kind="post-evaluation", title="After", feedback="scores",
        opens_at=closes + 3 * DAY,
    )  # fmt: skip
    after.test_sets.set(blind_task.test_sets.all())
    change(test_phase, organiser, closes_at=closes + DAY)
    extend(phase=test_phase, closes_at=closes + 2 * DAY, reason="A strike.", by=organiser)
    assert refusal_of(lambda: change(after, organiser, opens_at=closes)) == "scores-would-leak"
    assert (
        refusal_of(lambda: change(test_phase, organiser, closes_at=closes + 4 * DAY)) == "scores-would-leak"
    )
    too_long = {"closes_at": closes + 4 * DAY, "reason": "A strike.", "by": organiser}
    assert refusal_of(lambda: extend(phase=test_phase, **too_long)) == "scores-would-leak"


def test_the_form_keeps_what_was_filled_in_and_is_the_organisers_alone(
    client: Client, test_phase: Phase, organiser: User, member: User
) -> None:
    address = "/tasks/blind/organise/calendar/test/"
    form = {"opens_at": "2026-01-02T00:00:00", "closes_at": "2026-01-03T12:30:00", "reason": "Why not"}
    client.force_login(member)
    assert client.post(address, form).status_code == 404
    client.force_login(organiser)
    refused = client.post(address, form)
    assert refused.status_code == 409
    page = refused.content.decode()
    assert "2026-01-03T12:30:00" in page
    assert "Please confirm this" in page
    done = client.post(address, form | {"past": "on", "announce": "on"}, follow=True)
    assert "The times of Test phase have been changed." in done.content.decode()
    assert Phase.objects.get().closes_at.isoformat() == "2026-01-03T12:30:00+00:00"  # type: ignore[union-attr]
    assert client.post(address, form | {"opens_at": "soon"}).status_code == 409
