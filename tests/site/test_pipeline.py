"""From a received run to its final state, step by step, with every kind of failure on the way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

import evaluation
from sharedtask import handout, storage
from sharedtask.competition.models import Task
from sharedtask.submissions import check, claim, failure, record, score
from sharedtask.submissions.models import Run, RunFile
from tests.site.building import GOLD, TWO_ROOTS, WRONG_HEAD, good_archive, tar_of, zip_of
from workers import tasks

pytestmark = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Work = Callable[[], None]


def states(run: Run) -> dict[str, str]:
    return dict(run.files.values_list("test_set__code", "state"))


def test_a_perfect_run_is_scored(upload: Upload, work: Work) -> None:
    run = upload(good_archive())
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert states(run) == {"de_one": "scored", "en_two": "scored"}
    assert run.averages["all"]["LAS"] == 1.0
    assert run.finished_at is not None


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_scores_are_those_of_the_evaluator(upload: Upload, work: Work, pack: Callable[..., bytes]) -> None:
    run = upload(pack({"de_one.conllu": GOLD["de_one"], "en_two.conllu": WRONG_HEAD}))
    work()
    run.refresh_from_db()
    expected = evaluation.score(GOLD["en_two"].encode(), WRONG_HEAD.encode(), profile="conll17")
    file = run.files.get(test_set__code="en_two")
    assert file.counts["LAS"] == {"gold": 3, "system": 3, "correct": 2, "aligned": 3}
    assert {name: counts["correct"] for name, counts in file.counts.items()} == {
        name: metric.correct for name, metric in expected.metrics.items()
    }
    assert run.averages["all"]["LAS"] == pytest.approx((1 + 2 / 3) / 2)
    assert run.averages["groups"]["small"]["LAS"] == pytest.approx(2 / 3)


def test_an_invalid_file_is_explained_and_counts_as_zero(upload: Upload, work: Work) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS))
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert states(run) == {"de_one": "scored", "en_two": "invalid"}
    assert run.averages["all"]["LAS"] == 0.5
    incident = run.files.get(test_set__code="en_two").incidents[0]
    assert (incident["id"], incident["line"]) == ("several-roots", 4)
    assert incident["found"]
    assert incident["expected"]


def test_a_missing_file_counts_as_zero(upload: Upload, work: Work) -> None:
    run = upload(good_archive(en_two=""))
    work()
    run.refresh_from_db()
    assert states(run) == {"de_one": "scored", "en_two": "missing"}
    assert run.averages["all"]["LAS"] == 0.5
    assert run.averages["files"] == {"scored": 1, "missing": 1}


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
    assert run.averages["all"]["LAS"] == 0.0


@pytest.mark.parametrize(
    ("archive", "id"),
    [
        (b"no archive at all", "archive-format-unknown"),
        (zip_of({}), "archive-empty"),
        (zip_of({"../de_one.conllu": "x"}), "member-name-escapes"),
        (zip_of({"xx_none.conllu": "x"}), "treebank-unknown"),
        (tar_of({"xx\udcff\0.conllu": "x"}), "member-name-escapes"),
        (tar_of({"xx\udcff.conllu": "x"}), "treebank-unknown"),
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


def test_running_every_task_twice_changes_nothing(
    upload: Upload, work: Work, handed_out: list[tuple[str, str]]
) -> None:
    run = upload(good_archive(en_two=WRONG_HEAD))
    work()
    before = (Run.objects.values().get(), list(RunFile.objects.order_by("pk").values()))
    handed_out.append((handout.CHECK_RUN, run.public_id))
    handed_out.extend((handout.SCORE_FILE, file.public_id) for file in run.files.all())
    work()
    assert (Run.objects.values().get(), list(RunFile.objects.order_by("pk").values())) == before


def test_recording_twice_changes_nothing(upload: Upload, handed_out: list[tuple[str, str]]) -> None:
    """Two workers that both did the work, because a lease ran out: the second finds nothing to change."""
    run = upload(good_archive())
    claimed = claim.claim_run(run.public_id)
    assert claimed is not None
    check.check_run(claimed)
    handed = list(handed_out)
    check.check_run(claimed)
    assert handed_out == handed
    for file in run.files.all():
        right = score.score_file(file)
        record.record_score(file, right)
        wrong = score.FileScore(counts={"LAS": {"gold": 1, "system": 1, "correct": 0}}, signature="late")
        record.record_score(file, wrong)
    run.refresh_from_db()
    assert run.state == "scored"
    assert run.averages["all"]["LAS"] == 1.0


def test_our_fault_is_tried_again_and_then_succeeds(
    upload: Upload, work: Work, handed_out: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    with monkeypatch.context() as broken:
        broken.setattr(check, "check_file", lambda file: 1 / 0)
        work()
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("checking", 1)
    assert "ZeroDivisionError" in run.organisers_note
    assert claim.claim_run(run.public_id) is None, "it rests before it is tried again"
    Run.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    handed_out.append((handout.CHECK_RUN, run.public_id))
    work()
    run.refresh_from_db()
    assert run.state == "scored"


def test_our_fault_that_stays_ends_with_an_apology(
    upload: Upload, work: Work, handed_out: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    monkeypatch.setattr(score, "score_file", lambda file: 1 / 0)
    for _ in range(failure.MOST_ATTEMPTS):
        work()
        RunFile.objects.update(claimed_until=None)
        handed_out.append((handout.SCORE_FILE, run.files.first().public_id))
    run.refresh_from_db()
    assert run.state == "failed"
    assert not run.refusal


def test_what_depends_on_gold_is_told_to_organisers_only(upload: Upload, work: Work) -> None:
    """The file is valid against the raw text, but gold has changed under it."""
    run = upload(good_archive())
    gold = storage.path_of(run.task.test_sets.get(code="en_two").gold)
    gold.write_text(GOLD["en_two"].replace("loudly", "secretly"), encoding="utf-8")
    work()
    run.refresh_from_db()
    assert run.state == "failed"
    assert "not comparable with gold" in run.organisers_note
    assert run.attempts == 0
    shown = [run.refusal, *run.files.values_list("incidents", flat=True)]
    assert "secretly" not in str(shown)


def test_a_task_that_finds_nothing_does_nothing(db: None) -> None:
    tasks.check_run("nobody")
    tasks.score_file("nobody")


def test_the_check_does_not_open_gold(
    upload: Upload, handed_out: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, task: Task
) -> None:
    run = upload(good_archive())
    for test_set in task.test_sets.all():
        storage.path_of(test_set.gold).unlink()
    tasks.check_run(run.public_id)
    assert states(run) == {"de_one": "valid", "en_two": "valid"}
