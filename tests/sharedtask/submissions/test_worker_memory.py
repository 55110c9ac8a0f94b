"""A file whose check needs too much memory is invalid, and other work continues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import evaluation
from sharedtask.submissions import gold_cache
from sharedtask.submissions.models import Run, RunFile, Score
from tests.sharedtask.support.building import good_archive

Upload = Callable[..., Run]
Work = Callable[[], None]


@pytest.mark.django_db(transaction=True)
def test_a_file_that_needs_too_much_memory_is_invalid_and_the_others_are_checked(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    validate = evaluation.validate
    asked: list[str] = []

    def eat(source: Any, *, name: str, **more: Any) -> evaluation.Report:
        asked.append(name)
        with pytest.MonkeyPatch.context() as patch:
            if name == "de_one.conllu":
                patch.setattr("evaluation.scoring.validate.examine", out_of_memory)
            return validate(source, name=name, **more)

    monkeypatch.setattr(evaluation, "validate", eat)
    gold_cache.GOLD.put("something", evaluation.read(b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"))
    run = upload(good_archive())
    work()
    run.refresh_from_db()
    files = {file.test_set.code: file for file in RunFile.objects.select_related("test_set")}
    assert files["de_one"].state == RunFile.State.INVALID
    assert files["en_two"].state == RunFile.State.VALID
    assert "needs more memory than allowed" in str(files["de_one"].incidents)
    # It was checked a second time, with an empty cache.
    assert asked == ["de_one.conllu", "de_one.conllu", "en_two.conllu"]
    assert "something" not in gold_cache.GOLD
    assert (run.state, run.failure) == (Run.State.SCORED, {})


def out_of_memory(*arguments: Any, **more: Any) -> Any:
    raise MemoryError


@pytest.mark.django_db(transaction=True)
def test_scoring_without_memory_is_a_server_error_and_is_retried_with_an_empty_cache(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    monkeypatch.setattr(evaluation, "compare", out_of_memory)
    work()
    run.refresh_from_db()
    scores = list(Score.objects.all())
    assert {score.state for score in scores} == {Score.State.WAITING}
    assert all(score.failure["out_of_memory"] for score in scores)
    assert (run.state, run.failure) == (Run.State.SCORING, {})
    assert not len(gold_cache.GOLD)
