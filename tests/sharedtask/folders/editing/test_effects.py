"""What an edit changes at once for others is confirmed in words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.folders.editing.edit_task import (
    NeedsConfirmation,
)
from sharedtask.folders.editing.parts import (
    NewPhase,
    PhasePart,
    ReleaseTimes,
    TestSetPart,
    Texts,
)
from sharedtask.folders.plan import Plan
from sharedtask.teams.models import Team
from sharedtask.teams.register import register

pytestmark = pytest.mark.django_db
SOON = datetime(2126, 5, 1, 12, tzinfo=UTC)
LATER = SOON + timedelta(days=7)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def test_new_rules_have_a_new_version_and_teams_are_counted(
    full: Task, edit: Callable[..., Plan], member: User
) -> None:
    register(task=full, name="Alder", members=[member], confirmed=True)
    with pytest.raises(NeedsConfirmation) as asked:
        edit(full, Texts(), rules="Be kind.")
    (sentence,) = asked.value.sentences
    assert "1 team has accepted the rules. The new text is version 4" in sentence
    full.refresh_from_db()
    assert (full.rules_version, full.rules) == (3, "1. Be fair.\n")
    edit(full, Texts(), rules="Be kind.", confirmed=asked.value.digest)
    full.refresh_from_db()
    assert (full.rules_version, full.rules) == (4, "Be kind.")
    assert not Team.objects.get().has_accepted_rules


def test_new_terms_of_use_have_a_new_version_too(full: Task, edit: Callable[..., Plan]) -> None:
    edit(full, Texts(), data_licence="CC BY 3.0")
    full.refresh_from_db()
    assert full.rules_version == 4


def test_first_rules_are_no_new_version(task: Task, edit: Callable[..., Plan]) -> None:
    """Nobody can have accepted rules that were empty."""
    edit(task, Texts(), rules="Be fair.")
    task.refresh_from_db()
    assert (task.rules_version, task.rules) == (1, "Be fair.")


def test_what_becomes_visible_at_once_is_confirmed_in_words(full: Task, edit: Callable[..., Plan]) -> None:
    with pytest.raises(NeedsConfirmation) as asked:
        edit(full, TestSetPart("en_two"), revealed_at=LONG_AGO)
    assert asked.value.sentences == ("Everyone can see the name of en_two and the sample of en_two at once.",)
    with pytest.raises(NeedsConfirmation) as more:
        edit(
            full,
            TestSetPart("en_two"),
            revealed_at=None,
            inputs_released_at=None,
            confirmed=asked.value.digest,
        )
    assert "the inputs of en_two" in more.value.sentences[0], "what was confirmed was less"
    edit(full, TestSetPart("en_two"), revealed_at=LONG_AGO, confirmed=asked.value.digest)
    assert full.test_sets.get(code="en_two").revealed_at == LONG_AGO
    with pytest.raises(NeedsConfirmation, match="Please confirm") as hidden:
        edit(full, TestSetPart("en_two"), revealed_at=SOON)
    assert "may already have seen it" in hidden.value.sentences[0]


def test_a_time_to_come_needs_no_confirmation(full: Task, edit: Callable[..., Plan]) -> None:
    edit(
        full, ReleaseTimes(), which="inputs_released_at", time=LATER + timedelta(days=2), test_sets=["en_two"]
    )
    assert full.test_sets.get(code="en_two").inputs_released_at == LATER + timedelta(days=2)


def test_showing_scores_at_once_is_confirmed(task: Task, edit: Callable[..., Plan]) -> None:
    with pytest.raises(NeedsConfirmation) as asked:
        edit(task, PhasePart("open"), feedback="validity")
    assert asked.value.sentences[0].startswith("The scores of runs in Open phase are visible now.")
    edit(task, PhasePart("open"), feedback="validity", confirmed=asked.value.digest)
    with pytest.raises(NeedsConfirmation) as asked:
        edit(task, PhasePart("open"), feedback="scores")
    assert asked.value.sentences == ("The scores of all runs in Open phase are visible at once.",)


def test_a_phase_that_opens_at_once_is_confirmed(full: Task, edit: Callable[..., Plan]) -> None:
    new = {
        "code": "extra",
        "kind": "post-evaluation",
        "title": "Extra",
        "feedback": "scores",
        "opens_at": LONG_AGO,
        "closes_at": None,
        "runs_per_day": None,
        "runs_total": 5,
        "test_sets": ["de_one"],
    }
    with pytest.raises(NeedsConfirmation) as asked:
        edit(full, NewPhase(), **new)
    assert asked.value.sentences == ("Extra is open for uploads at once.",)
