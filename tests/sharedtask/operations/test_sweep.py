"""Whatever has no living owner is handed out again, and what belongs to nobody is removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from sharedtask.competition.models import GoldVersion, StandingRequest, Task
from sharedtask.core import storage
from sharedtask.operations.sweep import STRAY_AFTER, sweep
from sharedtask.submissions.models import Run
from sharedtask.work import targets
from sharedtask.work.lease import LEASE, PATIENCE
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.working import check_run, claim_run

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Messages = list[Sent]
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def prepared_gold(task: Task) -> None:
    """So that the sweep finds nothing to do but what a test is about."""
    GoldVersion.objects.update(statistics={"words": 1}, released_at=None)


def test_a_lost_message_is_sent_again_once(upload: Upload, dispatched: Messages) -> None:
    run = upload(good_archive())
    dispatched.clear()
    later = timezone.now() + PATIENCE + SECOND
    assert sweep(at=later).dispatched_to(targets.CHECK_RUN) == 1
    assert dispatched == [(targets.CHECK_RUN, [run.public_id])]
    assert sweep(at=later).dispatched_to(targets.CHECK_RUN) == 0, "the second message is still under way"


def test_a_message_that_may_be_on_its_way_is_not_sent_again(upload: Upload, dispatched: Messages) -> None:
    upload(good_archive())
    dispatched.clear()
    assert sweep().dispatched_to(targets.CHECK_RUN) == 0
    assert dispatched == []


def test_a_run_whose_checker_died_is_dispatched_when_its_lease_ends(
    upload: Upload, dispatched: Messages
) -> None:
    run = upload(good_archive())
    assert claim_run(run.public_id) is not None
    dispatched.clear()
    now = timezone.now()
    assert sweep(at=now + LEASE - timedelta(seconds=10)).dispatched_to(targets.CHECK_RUN) == 0
    assert sweep(at=now + LEASE + SECOND).dispatched_to(targets.CHECK_RUN) == 1


def test_files_whose_messages_were_lost_are_dispatched(
    upload: Upload, dispatched: Messages, work: Callable[[], None]
) -> None:
    run = upload(good_archive())
    check_run(run.public_id)
    dispatched.clear()
    assert sweep(at=timezone.now() + PATIENCE + SECOND).dispatched_to(targets.SCORE_FILES) == 2
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert sweep(at=timezone.now() + PATIENCE + SECOND).dispatched_to(targets.SCORE_FILES) == 0


def test_stray_files_are_removed_and_files_of_runs_stay(
    upload: Upload, stored: Callable[[str], list[str]]
) -> None:
    run = upload(good_archive())
    storage.store("uploads/nobodys", [b"x"])
    storage.store("uploads/fresh", [b"x"])
    storage.new_folder()
    old = (timezone.now() - STRAY_AFTER - SECOND).timestamp()
    for name in ("uploads/nobodys", run.archive, "incoming/" + stored("incoming")[0]):
        os.utime(storage.path_of(name), (old, old))
    assert sweep().strays == 2
    assert stored("uploads") == sorted(["fresh", run.public_id])
    assert stored("incoming") == []


def test_kept_figures_beyond_the_budget_are_removed_unless_a_large_standing_needs_them(
    task: Task, stored: Callable[[str], list[str]], dispatched: Messages, settings: Any
) -> None:
    settings.KEPT_FIGURES_BYTES = 10
    for age, name in enumerate(("set-new", "set-old", "sums-a")):
        storage.store(f"progress/{name}", [b"12345678"])
        at = (timezone.now() - age * SECOND).timestamp()
        os.utime(storage.path_of(f"progress/{name}"), (at, at))
    request, _ = StandingRequest.objects.update_or_create(
        phase=task.phases.get(), defaults={"progress": "official, 40%"}
    )
    assert sweep().strays == 0, "otherwise they would be computed again, and removed again, for ever"
    request.delete()
    assert sweep().strays == 2
    assert stored("progress") == ["set-new"]


def test_the_command_says_what_it_did(upload: Upload, capsys: pytest.CaptureFixture[str]) -> None:
    upload(good_archive())
    Run.objects.update(dispatched_at=timezone.now() - PATIENCE)
    call_command("sweep")
    assert "Dispatched again: 1 to check run" in capsys.readouterr().out
