"""Concurrent workers on a real database: exactly one claims a row."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from sharedtask.submissions.models import Run, Score
from sharedtask.work.lease import LEASE
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.concurrency import at_once
from tests.sharedtask.support.working import checked, claim_run, claim_scores

pytestmark = pytest.mark.django_db(transaction=True)


Upload = Callable[..., Run]


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
