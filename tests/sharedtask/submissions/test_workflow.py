"""From a received run to its final state, step by step, with every kind of failure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

import evaluation
from sharedtask.competition.models import Task
from sharedtask.competition.store_files import store_gold
from sharedtask.core import sealing, storage
from sharedtask.core.keys import KeyFiles
from sharedtask.submissions import check, score, unit_counts, workflow
from sharedtask.submissions.average import average
from sharedtask.submissions.kinds import RETRIES
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.work import targets
from tests.sharedtask.support.building import GOLD, TWO_ROOTS, WRONG_HEAD, good_archive, tar_of, zip_of
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.working import check_run, claim_run, score_files

pytestmark = pytest.mark.django_db(transaction=True)
MAX_ATTEMPTS = RETRIES.max_attempts or 0
Upload = Callable[..., Run]
Work = Callable[[], None]


def states(run: Run) -> dict[str, str]:
    """The verdict on each file, or `scored` if it has a score against the gold in force."""
    verdicts = dict(run.files.values_list("test_set__code", "state"))
    return verdicts | dict.fromkeys(counts(run), "scored")


def counts(run: Run) -> dict[str, Any]:
    scores = Score.objects.filter(file__run=run).done().in_force()
    return dict(scores.values_list("file__test_set__code", "counts"))


def las(run: Run, group: str | None = None) -> float:
    test_sets = run.phase.test_sets.all()
    chosen = [test_set for test_set in test_sets if group is None or group in test_set.groups]
    return average(run.task, chosen, counts(run))["LAS"]


def test_a_perfect_run_is_scored(upload: Upload, work: Work) -> None:
    run = upload(good_archive())
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert states(run) == {"de_one": "scored", "en_two": "scored"}
    assert las(run) == 1.0
    assert run.finished_at is not None


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_scores_are_those_of_the_evaluator(upload: Upload, work: Work, pack: Callable[..., bytes]) -> None:
    run = upload(pack({"de_one.conllu": GOLD["de_one"], "en_two.conllu": WRONG_HEAD}))
    work()
    run.refresh_from_db()
    expected = evaluation.score(GOLD["en_two"].encode(), WRONG_HEAD.encode(), profile="conll17")
    by_metric = counts(run)["en_two"]
    assert by_metric["LAS"] == {"gold": 3, "system": 3, "correct": 2, "aligned": 3}
    assert {name: figures["correct"] for name, figures in by_metric.items()} == {
        name: metric.correct for name, metric in expected.metrics.items()
    }
    assert las(run) == pytest.approx((1 + 2 / 3) / 2)
    assert las(run, "small") == pytest.approx(2 / 3)


def test_an_invalid_file_is_explained_and_counts_as_zero(upload: Upload, work: Work) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS))
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert states(run) == {"de_one": "scored", "en_two": "invalid"}
    assert las(run) == 0.5
    incident = run.files.get(test_set__code="en_two").incidents[0]
    assert (incident["id"], incident["line"]) == ("several-roots", 4)
    assert incident["found"]
    assert incident["expected"]


def test_a_missing_file_counts_as_zero(upload: Upload, work: Work) -> None:
    run = upload(good_archive(en_two=""))
    work()
    run.refresh_from_db()
    assert states(run) == {"de_one": "scored", "en_two": "missing"}
    assert las(run) == 0.5


@pytest.mark.parametrize(
    ("content", "id"),
    [
        (b"1\tD\xe9r\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "not-utf8"),
        (b"", "empty-file"),
        (b"1\t\0\t_\t_\t_\t_\tx\xed\xa0\x80\troot\t_\t_\n\n", "not-utf8"),
        (GOLD["de_one"].replace("Hund", "Hand").encode(), "text-differs"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_incident(
    upload: Upload, work: Work, content: bytes, id: str
) -> None:
    run = upload(zip_of({"de_one.conllu": content, "en_two.conllu": GOLD["en_two"]}))
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert id in run.files.get(test_set__code="de_one").incident_counts
    assert states(run)["en_two"] == "scored"


def test_a_bomb_inside_a_file_is_an_incident(
    upload: Upload, work: Work, settings: pytest.FixtureRequest
) -> None:
    import gzip

    run = upload(zip_of({"de_one.conllu": gzip.compress(b"\n" * 80_000_000)}))
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert states(run)["de_one"] == "invalid"


def test_a_run_with_no_valid_file_is_finished_at_once(upload: Upload, work: Work) -> None:
    run = upload(zip_of({"en_two.conllu": TWO_ROOTS}))
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert las(run) == 0.0


@pytest.mark.parametrize(
    ("archive", "id"),
    [
        (b"no archive at all", "archive-format-unknown"),
        (zip_of({}), "archive-empty"),
        (zip_of({"../de_one.conllu": "x"}), "member-name-escapes"),
        (zip_of({"xx_none.conllu": "x"}), "unknown-test-set"),
        (tar_of({"xx\udcff\0.conllu": "x"}), "member-name-escapes"),
        (tar_of({"xx\udcff.conllu": "x"}), "unknown-test-set"),
    ],
)
def test_a_bad_archive_is_refused_and_the_worker_goes_on(
    upload: Upload, work: Work, stored: Callable[[str], list[str]], archive: bytes, id: str
) -> None:
    bad = upload(archive)
    good = upload(good_archive())
    work()
    bad.refresh_from_db()
    good.refresh_from_db()
    assert (bad.state, bad.refusal["id"]) == ("refused", id)
    assert bad.refusal["message"]
    assert not bad.files.exists()
    assert good.state == "scored"
    assert stored("outputs") == [good.public_id]
    assert stored("incoming") == []


def test_running_every_task_twice_changes_nothing(upload: Upload, work: Work, dispatched: list[Sent]) -> None:
    run = upload(good_archive(en_two=WRONG_HEAD))
    work()

    def everything() -> list[Any]:
        return [list(model.objects.order_by("pk").values()) for model in (Run, RunFile, Score)]

    before = everything()
    dispatched.append((targets.CHECK_RUN, [run.public_id]))
    dispatched.extend((targets.SCORE_FILES, [score.public_id]) for score in Score.objects.all())
    work()
    assert everything() == before


def test_recording_twice_changes_nothing(upload: Upload, dispatched: list[Sent], as_worker: None) -> None:
    """Two workers did the same work because a lease expired: the second finds nothing to change."""
    run = upload(good_archive())
    claimed = claim_run(run.public_id)
    assert claimed is not None
    workflow.check(claimed)
    handed = list(dispatched)
    workflow.check(claimed)
    assert dispatched == handed
    for waiting in Score.objects.all():
        right = score.score_file(waiting, storage.path_of(waiting.file.output))
        workflow.finish_scores([(waiting, right)])
        wrong = {"LAS": {"gold": 1, "system": 1, "correct": 0, "aligned": 1}}
        workflow.finish_scores([(waiting, replace(right, counts=wrong, signature="late"))])
    run.refresh_from_db()
    assert run.state == "scored"
    assert las(run) == 1.0


def test_a_server_error_is_retried_and_then_succeeds(
    upload: Upload, work: Work, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    with monkeypatch.context() as broken:
        broken.setattr(check, "check_file", lambda file: 1 / 0)
        work()
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("checking", 1)
    assert run.failure["kind"] == "ZeroDivisionError"
    assert run.failure["stage"] == "check"
    assert claim_run(run.public_id) is None, "it rests before it is tried again"
    Run.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    dispatched.append((targets.CHECK_RUN, [run.public_id]))
    work()
    run.refresh_from_db()
    assert run.state == "scored"


def test_a_permanent_server_error_ends_with_an_apology(
    upload: Upload, work: Work, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    monkeypatch.setattr(score, "score_file", lambda file, output: 1 / 0)
    for _ in range(MAX_ATTEMPTS):
        work()
        Score.objects.update(claimed_until=None)
        dispatched.append((targets.SCORE_FILES, [Score.objects.earliest("pk").public_id]))
    run.refresh_from_db()
    assert run.state == "failed"
    assert not run.refusal
    assert run.uses_quota, "the upload stands, and will be scored when we are able to"
    assert Score.objects.earliest("pk").state == "failed"


def test_a_message_that_depends_on_gold_goes_to_organisers_only(upload: Upload, work: Work) -> None:
    """The file is valid against the raw text, but gold has changed."""
    run = upload(good_archive())
    gold = run.task.test_sets.get(code="en_two").gold_in_force
    changed = GOLD["en_two"].replace("loudly", "secretly")
    storage.path_of(gold.sealed).write_bytes(sealing.seal(changed.encode()))
    work()
    run.refresh_from_db()
    assert run.state == "failed"
    assert "not comparable with gold" in run.failure["note"]
    assert run.attempts == 0
    visible = [run.refusal, *run.files.values_list("incidents", flat=True)]
    assert "secretly" not in str(visible)


def test_a_task_that_finds_nothing_does_nothing(db: None) -> None:
    check_run("nobody")
    score_files("nobody")


def test_the_check_does_not_open_gold(
    upload: Upload, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch, task: Task
) -> None:
    run = upload(good_archive())
    for test_set in task.test_sets.all():
        storage.path_of(test_set.gold_in_force.sealed).unlink()
    check_run(run.public_id)
    assert states(run) == {"de_one": "valid", "en_two": "valid"}


def test_every_output_has_its_hash(upload: Upload, work: Work) -> None:
    run = upload(good_archive(en_two=""))
    work()
    hashes = dict(run.files.values_list("test_set__code", "sha256"))
    assert hashes == {"de_one": hashlib.sha256(GOLD["de_one"].encode()).hexdigest(), "en_two": ""}


def test_counts_per_unit_are_stored_sealed_and_add_up(
    upload: Upload, work: Work, settings: Any, gold_keys: KeyFiles
) -> None:
    run = upload(good_archive(en_two=WRONG_HEAD))
    work()
    score_row = Score.objects.get(file__run=run, file__test_set__code="en_two")
    with pytest.raises(sealing.NoPrivateKey):
        unit_counts.load(score_row)
    settings.GOLD_PRIVATE_KEY_FILE = str(gold_keys.private)
    by_unit = unit_counts.load(score_row)
    place = by_unit.metrics.index("LAS")
    assert by_unit.values[:, place].sum(axis=0).tolist() == [3, 3, 2, 3]


def test_a_task_that_draws_documents_draws_sentences_where_gold_marks_too_few(
    upload: Upload, work: Work, task: Task, settings: Any, gold_keys: KeyFiles
) -> None:
    """As `python -m evaluation campaign` does: one document, drawn a thousand times, is always the same."""
    Task.objects.update(resampling_unit="document")
    word = "1\tloudly\tloudly\tADV\t_\t_\t0\troot\t_\t_\n\n"
    gold = GOLD["en_two"].replace("3\tloudly\tloudly\tADV\t_\t_\t2\tadvmod\t_\t_\n\n", "\n" + word)
    store_gold(task.test_sets.get(code="en_two"), gold.encode())
    run = upload(good_archive())
    work()
    settings.GOLD_PRIVATE_KEY_FILE = str(gold_keys.private)
    by_unit = unit_counts.load(Score.objects.get(file__run=run, file__test_set__code="en_two"))
    assert len(by_unit.values) == 2


def test_an_amended_run_inherits_files_that_it_does_not_contain(upload: Upload, work: Work) -> None:
    first = upload(good_archive(en_two=TWO_ROOTS))
    work()
    first.refresh_from_db()
    second = upload(zip_of({"en_two.conllu": GOLD["en_two"]}), amends=first)
    work()
    second.refresh_from_db()
    assert (second.state, second.origin) == ("scored", "amended")
    assert states(second) == {"de_one": "scored", "en_two": "scored"}
    inherited = second.files.get(test_set__code="de_one")
    assert inherited.taken_from == first.files.get(test_set__code="de_one")
    assert second.files.get(test_set__code="en_two").taken_from is None
    assert states(first) == {"de_one": "scored", "en_two": "invalid"}


def test_a_score_against_newer_gold_is_stored_beside_the_old_one(
    upload: Upload, work: Work, task: Task, dispatched: list[Sent]
) -> None:
    run = upload(good_archive())
    work()
    test_set = task.test_sets.get(code="en_two")
    store_gold(test_set, GOLD["en_two"].replace("advmod", "obl").encode())
    file = run.files.get(test_set=test_set)
    newer = Score.objects.create(file=file, gold=test_set.gold_in_force)
    assert states(run)["en_two"] == "valid", "it has no score against the gold in force yet"
    dispatched.append((targets.SCORE_FILES, [newer.public_id]))
    work()
    assert counts(run)["en_two"]["LAS"]["correct"] == 2
    assert file.scores.count() == 2
    run.refresh_from_db()
    assert run.state == "scored"


def test_a_set_whose_input_is_not_released_is_not_part_of_a_run(
    upload: Upload, work: Work, task: Task
) -> None:
    task.test_sets.filter(code="en_two").update(inputs_released_at=timezone.now() + timedelta(days=1))
    refused = upload(good_archive())
    taken = upload(good_archive(en_two=""))
    work()
    refused.refresh_from_db()
    assert refused.refusal["id"] == "unknown-test-set"
    assert not refused.uses_quota
    assert refused.refusal["expected"] == "one of de_one.conllu"
    assert states(taken) == {"de_one": "scored"}
