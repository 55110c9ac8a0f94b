"""Phases open and close to the second; extensions for all and for one team."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Announcement, AuditEntry, Phase, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.templatetags.moments import aoe, utc
from sharedtask.submissions.models import Run
from sharedtask.teams.extend import extend
from sharedtask.teams.models import Extension, Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import good_archive

CLOSES = datetime(2026, 5, 31, 12, 0, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TICK = timedelta(microseconds=1)


@pytest.fixture
def organiser(task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    task.organisers.add(user)
    return user


@pytest.fixture
def closing(phase: Phase) -> Phase:
    phase.closes_at = CLOSES
    phase.save()
    return phase


@pytest.mark.django_db
def test_a_phase_is_open_from_its_opening_second_to_just_before_its_closing_one(closing: Phase) -> None:
    opens = closing.opens_at
    for at, is_open in (
        (opens - TICK, False),
        (opens, True),
        (CLOSES - TICK, True),
        (CLOSES, False),
        (CLOSES + SECOND, False),
    ):
        assert closing.is_open(at=at) is is_open, at
        assert Phase.objects.open(at=at).filter(pk=closing.pk).exists() is is_open, at


@pytest.mark.django_db(transaction=True)
def test_the_closing_time_is_too_late_for_an_upload(closing: Phase, upload: Callable[..., Run]) -> None:
    assert upload(good_archive(), at=CLOSES - TICK).number == 1
    with pytest.raises(Refusal) as refused:
        upload(good_archive(), at=CLOSES)
    assert refused.value.id == "phase-closed"
    with pytest.raises(Refusal) as early:
        upload(good_archive(), at=closing.opens_at - TICK)
    assert early.value.id == "phase-not-open"


@pytest.mark.django_db(transaction=True)
def test_an_extension_for_one_team_is_for_that_team_alone(
    closing: Phase, team: Team, organiser: User, upload: Callable[..., Run]
) -> None:
    other = register(task=closing.task, name="Birch", confirmed=True)
    later = CLOSES + timedelta(hours=6)
    at = CLOSES - timedelta(hours=1)
    extend(phase=closing, team=team, closes_at=later, reason="A power cut.", by=organiser, at=at)
    closing.refresh_from_db()
    assert closing.closes_at == CLOSES, "the calendar itself is not rewritten"
    assert (closing.closing_time(), closing.closing_time(other), closing.closing_time(team)) == (
        CLOSES,
        CLOSES,
        later,
    )
    assert upload(good_archive(), at=later - TICK).team == team
    for whose, moment in ((team, later), (other, CLOSES)):
        with pytest.raises(Refusal) as refused:
            upload(good_archive(), team=whose, at=moment)
        assert refused.value.id == "phase-closed"
        assert list(Phase.objects.open(at=moment, team=whose)) == []
    assert list(Phase.objects.open(at=later - TICK, team=team)) == [closing]
    assert not Announcement.objects.exists(), "the other teams learn nothing of it"
    entry = AuditEntry.objects.get(action="extend-phase")
    assert (entry.who, entry.reason, entry.subject, entry.at) == (
        organiser,
        "A power cut.",
        "Open phase for Alder",
        at,
    )


@pytest.mark.django_db
def test_an_extension_for_all_is_announced_with_its_reason(
    closing: Phase, team: Team, organiser: User
) -> None:
    later = CLOSES + timedelta(days=1)
    extend(phase=closing, closes_at=later, reason="The server was away.", by=organiser)
    assert closing.closing_time() == closing.closing_time(team) == later
    announcement = Announcement.objects.get()
    assert announcement.subject == "Open phase is open until 2026-06-01 12:00:00 UTC"
    assert "The server was away." in announcement.text
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {"extend-phase", "announce"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("closes_at", "reason", "id"),
    [
        (CLOSES, "why", "extension-not-later"),
        (CLOSES - SECOND, "why", "extension-not-later"),
        (CLOSES + SECOND, "  ", "reason-missing"),
    ],
)
def test_an_unfit_extension_is_refused_and_leaves_nothing(
    closing: Phase, organiser: User, closes_at: datetime, reason: str, id: str
) -> None:
    before = AuditEntry.objects.count()
    with pytest.raises(Refusal) as refused:
        extend(phase=closing, closes_at=closes_at, reason=reason, by=organiser)
    assert refused.value.id == id
    assert not Extension.objects.exists()
    assert not Announcement.objects.exists()
    assert AuditEntry.objects.count() == before


@pytest.mark.django_db
def test_a_phase_that_stays_open_cannot_be_extended(phase: Phase, organiser: User) -> None:
    with pytest.raises(Refusal) as refused:
        extend(phase=phase, closes_at=CLOSES, reason="why", by=organiser)
    assert refused.value.id == "phase-has-no-closing-time"


@pytest.mark.django_db
def test_a_blind_phase_is_not_extended_into_one_that_shows_its_scores(
    blind_task: Task, organiser: User
) -> None:
    """A team with more time would read the others' scores on the same test sets."""
    blind = blind_task.phases.get()
    Phase.objects.filter(pk=blind.pk).update(closes_at=CLOSES)
    after = Phase.objects.create(
        task=blind_task,
        code="post",
        kind="post-evaluation",
        title="After",
        opens_at=CLOSES + timedelta(days=1),
        feedback="scores",
    )
    after.test_sets.set(blind.test_sets.all())
    extend(phase=blind, closes_at=after.opens_at, reason="why", by=organiser)
    with pytest.raises(Refusal) as refused:
        extend(phase=blind, closes_at=after.opens_at + SECOND, reason="why", by=organiser)
    assert refused.value.id == "scores-would-leak"


@pytest.mark.parametrize(
    ("moment", "in_utc", "anywhere"),
    [
        (datetime(2026, 5, 31, 12, tzinfo=UTC), "31 May 2026, 12:00", "31 May 2026, 00:00"),
        (datetime(2026, 6, 1, 11, 59, 59, tzinfo=UTC), "1 June 2026, 11:59:59", "31 May 2026, 23:59:59"),
        (datetime(2026, 1, 1, tzinfo=UTC), "1 January 2026, 00:00", "31 December 2025, 12:00"),
    ],
)
def test_times_are_shown_in_utc_and_anywhere_on_earth(moment: datetime, in_utc: str, anywhere: str) -> None:
    assert (utc(moment), aoe(moment)) == (in_utc, anywhere)


@pytest.mark.django_db
def test_the_page_of_a_task_shows_deadlines_in_three_zones(client: Client, closing: Phase) -> None:
    page = client.get("/tasks/tiny/").content.decode()
    assert "31 May 2026, 12:00 UTC" in page
    assert "31 May 2026, 00:00 AoE" in page
    assert '<span data-local-time="2026-05-31T12:00:00+00:00"></span>' in page
    assert re.search(r'<script src="/static/times[^"]*\.js" defer></script>', page)


@pytest.mark.django_db
def test_organisers_extend_on_the_page_and_nobody_else_finds_it(
    client: Client, closing: Phase, team: Team, member: User, organiser: User
) -> None:
    address = "/tasks/tiny/organise/calendar/"
    assert client.get(address).status_code == 302
    client.force_login(member)
    assert client.get(address).status_code == 404
    form = {"phase": "open", "team": team.public_id, "closes_at": "2026-06-02T10:00", "reason": "ill"}
    assert client.post(address, form).status_code == 404
    client.force_login(organiser)
    assert "Open phase" in client.get(address).content.decode()
    refused = client.post(address, form | {"closes_at": "2026-01-02T10:00"}).content.decode()
    assert "an extension must be later" in refused
    assert 'value="ill"' in refused, "what was typed is not lost"
    assert client.post(address, form).status_code == 302
    extension = Extension.objects.get()
    assert (extension.team, extension.closes_at) == (team, datetime(2026, 6, 2, 10, tzinfo=UTC))
    assert "for Alder until 2 June 2026, 10:00 UTC" in client.get(address).content.decode()


@pytest.mark.django_db
def test_the_calendar_calls_no_phase_closed_that_has_not_opened(
    phase: Phase, organiser: User, client: Client
) -> None:
    phase.opens_at = clock.database_now() + timedelta(days=3)
    phase.save()
    client.force_login(organiser)
    page = client.get("/tasks/tiny/organise/calendar/").content.decode()
    assert ">closed<" not in page
    assert re.search(r">\s*opens in\s*<", page)
