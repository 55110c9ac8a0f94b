"""Whatever has no living owner is handed out again, and what belongs to nobody is removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from sharedtask.core import storage
from sharedtask.operations.sweep import PATIENCE, STRAY_AFTER, sweep
from sharedtask.submissions import claim
from sharedtask.submissions.models import Run
from sharedtask.work import dispatch
from tests.site.building import good_archive
from workers import tasks

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Messages = list[tuple[str, str]]
SECOND = timedelta(seconds=1)


def test_a_lost_message_is_sent_again_once(upload: Upload, handed_out: Messages) -> None:
    run = upload(good_archive())
    handed_out.clear()
    later = timezone.now() + PATIENCE + SECOND
    assert sweep(at=later).runs == 1
    assert handed_out == [(dispatch.CHECK_RUN, run.public_id)]
    assert sweep(at=later).runs == 0, "the second message is still under way"


def test_a_message_that_may_be_under_way_is_not_doubled(upload: Upload, handed_out: Messages) -> None:
    upload(good_archive())
    handed_out.clear()
    assert sweep().runs == 0
    assert handed_out == []


def test_a_run_whose_checker_died_is_handed_out_when_its_lease_ends(
    upload: Upload, handed_out: Messages
) -> None:
    run = upload(good_archive())
    assert claim.claim_run(run.public_id) is not None
    handed_out.clear()
    now = timezone.now()
    assert sweep(at=now + claim.LEASE - timedelta(seconds=10)).runs == 0
    assert sweep(at=now + claim.LEASE + SECOND).runs == 1


def test_files_whose_messages_were_lost_are_handed_out(
    upload: Upload, handed_out: Messages, work: Callable[[], None]
) -> None:
    run = upload(good_archive())
    tasks.check_run(run.public_id)
    handed_out.clear()
    assert sweep(at=timezone.now() + PATIENCE + SECOND).scores == 2
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert sweep(at=timezone.now() + PATIENCE + SECOND).scores == 0


def test_strays_go_and_what_belongs_to_a_run_stays(
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


def test_the_command_says_what_it_did(upload: Upload, capsys: pytest.CaptureFixture[str]) -> None:
    upload(good_archive())
    Run.objects.update(handed_out_at=timezone.now() - PATIENCE)
    call_command("sweep")
    assert "Handed out 1 runs" in capsys.readouterr().out
