"""Reminders a day before a phase closes, and notices of what organisers do with a run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.operations.sweep_notices import sweep
from sharedtask.submissions import combine, mark_official, reject
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Extension, Notice, NoticeChoice, Team
from sharedtask.teams.notices.closing_events import REMINDER_PERIOD
from sharedtask.teams.register import register
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.people import person
from tests.sharedtask.support.sending import Sent

pytestmark = pytest.mark.django_db(transaction=True)
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def closes(blind_task: Task) -> datetime:
    closes_at = clock.database_now().replace(microsecond=0) + 10 * DAY
    Phase.objects.update(closes_at=closes_at)
    return closes_at


@pytest.fixture
def people(blind_task: Task, dispatched: list[Sent]) -> dict[str, User]:
    """Two confirmed teams and one that is not, with a member each."""
    values = {name: person(name) for name in ("ash", "elm", "yew")}
    for name, user in values.items():
        register(task=blind_task, name=name.title(), members=[user], confirmed=name != "yew")
    return values


def reminded() -> list[Sent]:
    result = Notice.objects.filter(kind=Notice.Kind.CLOSING).order_by("user__username", "pk")
    return [(user, text[-21:-5]) for user, text in result.values_list("user__username", "text")]


def test_members_of_confirmed_teams_are_reminded_once_a_day_before(
    closes: datetime, people: dict[str, User]
) -> None:
    NoticeChoice.objects.create(user=people["elm"], kind=Notice.Kind.CLOSING, channel="site")
    sweep(at=closes - REMINDER_PERIOD - SECOND)
    assert reminded() == []
    for _ in range(2):
        sweep(at=closes - REMINDER_PERIOD)
    assert [user for user, _ in reminded()] == ["ash", "elm"]
    assert Notice.objects.get(user=people["ash"], kind="closing").text == (
        f"Test phase of A blind task closes at {closes:%Y-%m-%d %H:%M} UTC."
    )
    expected = dict(Notice.objects.filter(kind="closing").values_list("user__username", "wants_mail"))
    assert expected == {"ash": True, "elm": False}


def test_nobody_is_reminded_of_what_has_closed(closes: datetime, people: dict[str, User]) -> None:
    sweep(at=closes)
    assert reminded() == []


def test_a_team_with_an_extension_is_reminded_of_its_own_closing(
    closes: datetime, people: dict[str, User]
) -> None:
    phase, later = Phase.objects.get(), closes + 3 * DAY
    Extension.objects.create(
        phase=phase, team=Team.objects.get(name="Elm"), closes_at=later, granted_at=closes - 5 * DAY
    )
    sweep(at=closes - HOUR)
    assert [user for user, _ in reminded()] == ["ash"]
    sweep(at=later - HOUR)
    assert reminded() == [("ash", f"{closes:%Y-%m-%d %H:%M}"), ("elm", f"{later:%Y-%m-%d %H:%M}")]


def test_who_learnt_of_the_closing_within_the_last_day_is_not_reminded(
    closes: datetime, people: dict[str, User]
) -> None:
    phase = Phase.objects.get()
    sweep(at=closes - REMINDER_PERIOD)
    Extension.objects.create(phase=phase, closes_at=closes + 2 * HOUR, granted_at=closes - HOUR)
    sweep(at=closes)
    assert len(reminded()) == 2, "the extension itself was announced an hour ago"
    Extension.objects.create(phase=phase, closes_at=closes + 4 * DAY, granted_at=closes)
    sweep(at=closes + 3 * DAY)
    assert len(reminded()) == 4, "a closing that is put off by days is told again"
    Notice.objects.all().delete()
    Extension.objects.all().delete()
    Phase.objects.update(opens_at=closes - 2 * HOUR)
    sweep(at=closes - HOUR)
    assert reminded() == [], "that it opened was told two hours before it closes"


def test_the_team_is_notified_when_organisers_reject_restore_combine_or_mark(
    task: Task, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    ash, organiser = person("ash"), person("oak")
    aspen = register(task=task, name="Aspen", members=[ash], confirmed=True)
    first, second = upload(good_archive(), team=aspen), upload(good_archive(de_one=""), team=aspen)
    work()
    first, second = Run.objects.get(pk=first.pk), Run.objects.get(pk=second.pk)
    now = clock.database_now()
    for number, act in enumerate((reject.reject, reject.restore, reject.reject, reject.restore)):
        act(run=first, by=organiser, reason="a secret reason", at=now + number * SECOND)
    result = combine.combine(parts=[second, first], by=organiser, reason="halves")
    Phase.objects.update(kind=Phase.Kind.TEST)
    mark_official.mark_by_organiser(run=Run.objects.get(pk=result.pk), by=organiser, reason="agreed")
    outcome = list(
        Notice.objects.filter(kind=Notice.Kind.DECISION).order_by("pk").values_list("text", flat=True)
    )
    rejected = "Run 1 of Aspen was rejected by the organisers. See its page for details."
    restored = "Run 1 of Aspen was restored by the organisers. See its page for details."
    assert outcome == [
        rejected,
        restored,
        rejected,
        restored,
        "The organisers combined runs 2, 1 of Aspen, in this order, into run 3.",
        "Run 3 of Aspen was marked as the official run by the organisers. See its page for details.",
    ]
