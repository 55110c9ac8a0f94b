"""Workers analyse outputs once gold is released: nothing before, everything after, nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from evaluation.errors.count import ErrorCounts
from evaluation.scoring.breakdown import Breakdowns
from sharedtask.accounts.models import User
from sharedtask.analysis import analyse
from sharedtask.analysis.analyse import AnalyseGold
from sharedtask.analysis.models import FORMAT, Analysis, GoldAnalysis
from sharedtask.analysis.results import analysed_sets, gold_statistics
from sharedtask.competition.models import AuditEntry, GoldVersion, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock, storage
from sharedtask.folders.load_task import load_task
from sharedtask.standings.corrections import pending_corrections
from sharedtask.standings.gold_fix.put_in_force import put_in_force
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import Team
from sharedtask.work import sweep, targets
from sharedtask.work.claim import claim
from sharedtask.work.lease import LEASE, PATIENCE
from tests.sharedtask.support.building import WRONG_HEAD, good_archive
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
VISITOR = AnonymousUser()


@pytest.fixture
def run(team: Team, upload: Callable[..., Run], work: Work) -> Run:
    result = upload(good_archive(en_two=WRONG_HEAD))
    work()
    return Run.objects.get(pk=result.pk)


def codes_of(found: object) -> list[str]:
    return sorted(found)  # type: ignore[call-overload, no-any-return]


def breakdowns_of(run: Run) -> dict[str, Breakdowns]:
    rows = Analysis.objects.filter(score__file__run=run).values_list(
        "score__file__test_set__code", "breakdowns"
    )
    return {code: Breakdowns.from_bytes(bytes(breakdowns)) for code, breakdowns in rows}


def test_a_run_on_development_gold_is_analysed_with_its_scores(run: Run, task: Task) -> None:
    at = clock.database_now()
    assert codes_of(analysed_sets(VISITOR, run, at=at)) == ["de_one", "en_two"]
    result = breakdowns_of(run)
    assert result["en_two"].relation["advmod"]["LAS"].correct_by_gold == 0
    assert result["de_one"].relation["nsubj"]["LAS"].correct_by_gold == 1
    together = result["de_one"] + result["en_two"]
    assert together.relation["nsubj"]["LAS"].gold == 2
    sets = task.test_sets.select_related("gold_in_force", "task")
    outcome = gold_statistics(VISITOR, sets, at=at)
    assert (outcome["en_two"].words, outcome["en_two"].sentences, outcome["de_one"].words) == (3, 1, 4)


def dispatch_unanalysed(*, at: datetime) -> int:
    return sweep.sweep(AnalyseGold(), at=at).dispatched


def test_blind_gold_is_not_analysed_before_its_release(
    blind_task: Task, blind_team: Team, upload: Callable[..., Run], work: Work, member: User
) -> None:
    run = upload(good_archive(), team=blind_team)
    work()
    assert Score.objects.done().count() == 2
    dispatch_unanalysed(at=clock.database_now())
    work()
    version = GoldVersion.objects.get(test_set__code="en_two", test_set__task=blind_task)
    assert analyse.analyse_gold(version.pk) == 0
    assert analyse.analyse_run(run.public_id) == 0
    assert not GoldAnalysis.objects.filter(gold__test_set__task=blind_task).exists()
    organiser = User.objects.create_user("organiser")
    close_now(blind_task)
    release_gold(task=blind_task, by=organiser, reason="It is over.", codes=["en_two"])
    work()
    assert [item.score.file.test_set.code for item in Analysis.objects.all()] == ["en_two"]
    # Gold is out, and results are not: the phase is still blind for everybody but organisers.
    run.refresh_from_db()
    at = clock.database_now()
    assert analysed_sets(member, run, at=at) == frozenset()
    blind_task.organisers.add(organiser)
    assert codes_of(analysed_sets(organiser, run, at=at)) == ["en_two"]
    sets = blind_task.test_sets.select_related("gold_in_force", "task")
    assert codes_of(gold_statistics(VISITOR, sets, at=at)) == ["en_two"]
    assert gold_statistics(VISITOR, sets, at=version.created_at) == {}


def test_analysing_twice_changes_nothing_and_workers_exclude_each_other(run: Run) -> None:
    version = GoldVersion.objects.get(test_set__code="en_two")
    before = list(Analysis.objects.order_by("pk").values_list("public_id", "analysed_at"))
    assert analyse.analyse_gold(version.pk) == 0
    assert list(Analysis.objects.order_by("pk").values_list("public_id", "analysed_at")) == before
    Analysis.objects.all().delete()
    assert claim(AnalyseGold(), [version.pk])
    assert analyse.analyse_gold(version.pk) == 0
    later = clock.database_now() + LEASE * 2
    assert claim(AnalyseGold(), [version.pk], at=later), "whoever fell silent is replaced"


def test_the_sweeper_finds_what_is_not_analysed(run: Run, dispatched: list[Sent]) -> None:
    version = GoldVersion.objects.get(test_set__code="en_two")
    at = clock.database_now() + PATIENCE
    assert dispatch_unanalysed(at=at) == 0
    Analysis.objects.filter(score__gold=version).delete()
    assert dispatch_unanalysed(at=at) == 1
    assert dispatched == [(targets.ANALYSE_GOLD, [version.pk])]
    assert dispatch_unanalysed(at=at) == 0, "the message is under way"
    GoldAnalysis.objects.update(format=FORMAT - 1)
    assert dispatch_unanalysed(at=at + PATIENCE) == 2, "another version of the software made them"


def test_outputs_are_analysed_again_when_the_error_classes_change(
    task: Task, run: Run, work: Work, client: Client, tmp_path: Path
) -> None:
    file = tmp_path / "task" / "task.yaml"
    own = "error_classes: |\n  classes: Adverb, Rest\n  Adverb: advmod\n  Rest: *\n"
    file.write_text(file.read_text(encoding="utf-8") + own, encoding="utf-8")
    load_task(tmp_path / "task")
    page = f"/tasks/tiny/systems/{run.system.public_id}/"
    assert "Modifier attachment" in client.get(page).content.decode(), "the old ones until there are others"
    at = clock.database_now() + PATIENCE
    assert dispatch_unanalysed(at=at) == 2
    work()
    counts = Analysis.objects.values_list("score__file__test_set__code", "errors")
    totals = {code: ErrorCounts.from_bytes(bytes(errors)).total() for code, errors in counts}
    assert {code: list(of_set) for code, of_set in totals.items()} == {
        "de_one": ["Adverb", "Rest"],
        "en_two": ["Adverb", "Rest"],
    }
    assert (totals["en_two"]["Adverb"].errors, totals["en_two"]["Rest"].errors) == (1, 0)
    html = client.get(page).content.decode()
    assert "Adverb" in html and "Modifier attachment" not in html
    browser = client.get("/tasks/tiny/sets/en_two/sentences/?error=Adverb").content.decode()
    assert "Birds sing loudly" in browser and "<option selected>Adverb</option>" in browser
    assert dispatch_unanalysed(at=at + PATIENCE) == 0, "once"


def test_a_file_that_cannot_be_analysed_does_not_stop_the_others(
    run: Run, upload: Callable[..., Run], work: Work
) -> None:
    Analysis.objects.all().delete()
    storage.remove(run.files.get(test_set__code="en_two").output)
    second = upload(good_archive())
    work()
    failed = Analysis.objects.exclude(failure="")
    assert [item.score.file.run for item in failed] == [run]
    at = clock.database_now()
    assert codes_of(analysed_sets(VISITOR, run, at=at)) == ["de_one"]
    second.refresh_from_db()
    assert codes_of(analysed_sets(VISITOR, second, at=at)) == ["de_one", "en_two"]
    assert dispatch_unanalysed(at=at + PATIENCE) == 0, "it is not tried for ever"


def test_organisers_see_failed_analyses_and_retry_them(
    run: Run, task: Task, client: Client, member: User, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    Analysis.objects.all().delete()
    with monkeypatch.context() as broken:
        broken.setattr(analyse, "break_down", lambda comparison: 1 / 0)
        assert analyse.analyse_run(run.public_id) == 2
    task.organisers.add(member)
    client.force_login(member)
    page = client.get("/tasks/tiny/organise/").content.decode()
    assert "en_two: scored, but the error analysis failed" in page and "ZeroDivisionError" in page
    answer = client.post("/tasks/tiny/organise/retry/", {"reason": "mended"}, follow=True)
    assert "Retrying 0 runs and the analysis of 2 outputs." in answer.content.decode()
    work()
    assert codes_of(analysed_sets(VISITOR, run, at=clock.database_now())) == ["de_one", "en_two"]
    assert AuditEntry.objects.get(action="retry-analyses").details == {"outputs": 2}


def test_when_storage_is_down_the_analysis_is_retried_later(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = GoldVersion.objects.get(test_set__code="en_two")
    Analysis.objects.all().delete()
    with monkeypatch.context() as patched:

        def away(name: str) -> bytes:
            raise ConnectionError("no answer")

        patched.setattr(storage, "read", away)
        assert analyse.analyse_gold(version.pk) == 0
    row = GoldAnalysis.objects.get(gold=version)
    assert (row.attempts, row.failure["kind"], row.claimed_by) == (1, "ConnectionError", "")
    assert not claim(AnalyseGold(), [version.pk]), "it rests"
    GoldAnalysis.objects.update(claimed_until=None)
    assert analyse.analyse_gold(version.pk) == 1


def test_a_corrected_version_of_gold_gets_analyses_of_its_own(
    task: Task, run: Run, work: Work, tmp_path: Path
) -> None:
    (tmp_path / "task" / "gold" / "en_two.conllu").write_text(WRONG_HEAD, encoding="utf-8")
    load_task(tmp_path / "task")
    work()
    organiser = User.objects.create_user("organiser")
    compared = {
        pending_correction.test_set.code: pending_correction.number
        for pending_correction in pending_corrections(task)
    }
    put_in_force(task=task, by=organiser, reason="A head was wrong.", compared=compared)
    work()
    dispatch_unanalysed(at=clock.database_now() + PATIENCE)
    work()
    result = breakdowns_of(run)
    assert result["en_two"].relation["advmod"]["LAS"].correct_by_gold == 1
    assert Analysis.objects.filter(score__file__test_set__code="en_two").count() == 2


def test_an_output_that_kills_its_workers_is_given_up_and_the_others_are_done(
    run: Run, upload: Callable[..., Run], work: Work
) -> None:
    second = upload(good_archive())
    work()
    version = GoldVersion.objects.get(test_set__code="en_two")
    Analysis.objects.all().delete()
    at = clock.database_now()
    for _ in range(analyse.MAX_LOSSES + 1):
        at += LEASE * 2
        assert claim(AnalyseGold(), [version.pk], at=at)
    GoldAnalysis.objects.filter(gold=version).update(claimed_until=None, claimed_by="")
    assert analyse.analyse_gold(version.pk) == 1
    result = dict(Analysis.objects.values_list("score__file__run", "failure"))
    assert result == {run.pk: "5 workers died while analysing this output.", second.pk: ""}
    assert GoldAnalysis.objects.get(gold=version).losses == 0


def test_analyses_that_take_too_long_are_continued_by_another_message(
    run: Run, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    version = GoldVersion.objects.get(test_set__code="en_two")
    Analysis.objects.all().delete()
    monkeypatch.setattr(analyse, "LONGEST_SECONDS", 0)
    assert analyse.analyse_gold(version.pk) == 0
    assert dispatched == [(targets.ANALYSE_GOLD, [version.pk])]
    assert claim(AnalyseGold(), [version.pk]), "it is free for whoever gets the message"
