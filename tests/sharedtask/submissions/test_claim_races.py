"""Concurrent workers and uploads on a real database: each file, number and run is recorded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from sharedtask.competition.models import Phase
from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.submissions import outputs, record, score, workflow
from sharedtask.submissions.models import Run, Score
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.concurrency import at_once
from tests.sharedtask.support.working import checked, claim_run

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]


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
            assert refusal.id == "phase-quota-used"
            return None

    numbers = at_once(*[try_it] * 8)
    assert sorted(number for number in numbers if number) == [1, 2, 3]
    assert numbers.count(None) == 5
    assert Run.objects.count() == 3
