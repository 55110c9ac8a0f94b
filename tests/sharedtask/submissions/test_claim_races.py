"""Concurrent workers on a real database: exactly one claims a row, and none is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import TypeVar

import pytest
from django.db import connection
from django.utils import timezone

from sharedtask.competition.models import Phase
from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.submissions import outputs, record, score, workflow
from sharedtask.submissions.models import Run, Score
from sharedtask.work.lease import LEASE
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.working import claim_run, claim_scores

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Result = TypeVar("Result")


def at_once(*functions: Callable[[], Result]) -> list[Result]:
    """Call all of them at once, in threads with a connection each."""
    barrier = threading.Barrier(len(functions))

    def call(function: Callable[[], Result]) -> Result:
        try:
            connection.ensure_connection()
            barrier.wait()
            return function()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(call, functions))


def test_only_one_of_many_claims_on_a_run_succeeds(upload: Upload) -> None:
    for _ in range(5):
        run = upload(good_archive())
        claims = at_once(*[partial(claim_run, run.public_id)] * 8)
        assert sum(claimed is not None for claimed in claims) == 1


def test_only_one_of_many_claims_on_a_score_succeeds(upload: Upload) -> None:
    for _ in range(5):
        for waiting in Score.objects.filter(file__run=checked(upload)):
            claims = at_once(*[partial(claim_scores, [waiting.public_id])] * 8)
            assert sum(map(len, claims)) == 1


def test_an_expired_lease_can_be_taken_over_once(upload: Upload) -> None:
    run = upload(good_archive())
    assert claim_run(run.public_id) is not None
    assert claim_run(run.public_id) is None
    later = timezone.now() + LEASE + timedelta(seconds=1)
    claims = at_once(*[lambda: claim_run(run.public_id, at=later)] * 4)
    assert sum(claimed is not None for claimed in claims) == 1


def test_two_workers_that_finish_the_last_files_together_finish_the_run(
    upload: Upload, as_worker: None
) -> None:
    for _ in range(5):
        run = checked(upload)
        results = [
            (waiting, score.score_file(waiting, storage.path_of(waiting.file.output)))
            for waiting in Score.objects.filter(file__run=run)
        ]
        at_once(*[partial(workflow.finish_scores, [result]) for result in results])
        run.refresh_from_db()
        assert run.state == "scored"
        assert Score.objects.filter(file__run=run).done().count() == 2


def test_two_checkers_of_one_run_give_each_file_one_row(upload: Upload) -> None:
    run = upload(good_archive())
    claimed = claim_run(run.public_id)
    assert claimed is not None
    unpacked = outputs.obtain_outputs(claimed)
    at_once(*[lambda: record.record_files(claimed, unpacked)] * 4)
    assert run.files.count() == 2


def test_uploads_at_once_get_numbers_of_their_own_and_stay_within_the_quota(
    upload: Upload, phase: Phase
) -> None:
    phase.runs_total = 3
    phase.save()

    def try_it() -> int | None:
        try:
            return upload(good_archive()).number
        except Refusal as refusal:
            assert refusal.id == "quota-of-the-phase"
            return None

    numbers = at_once(*[try_it] * 8)
    assert sorted(number for number in numbers if number) == [1, 2, 3]
    assert numbers.count(None) == 5
    assert Run.objects.count() == 3


def checked(upload: Upload) -> Run:
    run = upload(good_archive())
    claimed = claim_run(run.public_id)
    assert claimed is not None
    workflow.check(claimed)
    return claimed
