"""Files are scored in batches; a file that fails does not affect the others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sharedtask.competition.models import Task
from sharedtask.core import sealing, storage
from sharedtask.operations.sweep import sweep
from sharedtask.submissions import gold_cache, score, score_batches
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.work import targets
from tests.sharedtask.support.building import GOLD, good_archive
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.working import check_run

pytestmark = pytest.mark.django_db(transaction=True)
Messages = list[Sent]
Upload = Callable[..., Run]
Work = Callable[[], None]


def waiting(number: int, *, size_bytes: int = 1000, losses: int = 0) -> Score:
    return Score(public_id=f"s{number}", file=RunFile(size_bytes=size_bytes), losses=losses)


def grouped(*scores: Score) -> list[list[str]]:
    return [[score.public_id for score in batch] for batch in score_batches.batches(scores)]


def test_small_files_are_sent_together_and_large_ones_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_batches, "MAX_FILES", 3)
    assert grouped(*map(waiting, range(5))) == [["s0", "s1", "s2"], ["s3", "s4"]]
    large = waiting(1, size_bytes=score_batches.MAX_BYTES)
    assert grouped(waiting(0), large, waiting(2)) == [["s0"], ["s1"], ["s2"]]
    assert grouped() == []


def test_a_score_that_has_lost_a_worker_is_sent_alone() -> None:
    assert grouped(waiting(0), waiting(1, losses=1), waiting(2)) == [["s1"], ["s0", "s2"]]


def test_the_files_of_a_run_are_sent_in_one_message(upload: Upload, dispatched: Messages) -> None:
    run = upload(good_archive())
    check_run(run.public_id)
    (named,) = [ids for task, ids in dispatched if task == targets.SCORE_FILES]
    assert named == list(Score.objects.order_by("pk").values_list("public_id", flat=True))
    assert len(named) == 2


def test_a_file_that_fails_does_not_affect_the_others_of_its_message(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    right = score.score_file

    def fail_on_german(score: Score, output: Path) -> Any:
        return right(score, output) if score.file.test_set.code == "en_two" else 1 / 0

    monkeypatch.setattr(score, "score_file", fail_on_german)
    work()
    german, english = Score.objects.order_by("file__test_set__code")
    assert (german.state, german.attempts, german.claimed_by) == ("waiting", 1, "")
    assert (english.state, english.attempts, english.claimed_until) == ("scored", 0, None)
    run.refresh_from_db()
    assert run.state == "scoring"


def test_scores_are_retried_if_the_disk_is_full_when_counts_are_stored(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch, dispatched: Messages
) -> None:
    run = upload(good_archive())
    with monkeypatch.context() as full:

        def no_space(contents: Any) -> None:
            raise OSError(28, "No space left on device")

        full.setattr(storage, "store_all", no_space)
        work()
    assert set(Score.objects.values_list("state", "attempts", "units")) == {("waiting", 1, "")}
    Score.objects.update(claimed_until=None)
    sweep(patience=timedelta(0))
    assert len([task for task, _ in dispatched if task == targets.SCORE_FILES]) == 2, "each by itself"
    work()
    run.refresh_from_db()
    assert run.state == "scored"


def test_gold_is_opened_once_and_evicted_when_the_cache_is_full(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch, settings: Any, task: Task, as_worker: None
) -> None:
    opened: list[int] = []
    unseal = sealing.unseal
    monkeypatch.setattr(gold_cache.sealing, "unseal", lambda sealed: opened.append(1) or unseal(sealed))
    for _ in range(3):
        upload(good_archive())
        work()
    assert Score.objects.done().count() == 6
    assert all(name in gold_cache.GOLD for name in sealed_names(task))
    opened.clear()
    first = Score.objects.earliest("pk")
    score.score_file(first, storage.path_of(first.file.output))
    assert opened == [], "it is in memory"
    settings.GOLD_MEMORY_BYTES = len(GOLD["de_one"])
    gold_cache.clear()
    for test_set in task.test_sets.select_related("gold_in_force"):
        gold_cache.open_gold(test_set.gold_in_force)
        assert len(gold_cache.GOLD) == 1, "the last one stays"


def sealed_names(task: Task) -> list[str]:
    return [test_set.gold_in_force.sealed for test_set in task.test_sets.select_related("gold_in_force")]
