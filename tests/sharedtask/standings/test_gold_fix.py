"""A gold fix: stored outputs are scored again, compared side by side, and put in force in one step."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition import prepare_gold
from sharedtask.competition.models import AuditEntry, GoldVersion, Phase, Task, TestSet
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.folders.load_task import BadTaskFolder, load_task
from sharedtask.standings.corrections import Versions, pending_corrections
from sharedtask.standings.gold_fix.compare import compare
from sharedtask.standings.gold_fix.put_in_force import put_in_force
from sharedtask.standings.models import GoldFix, Standing
from sharedtask.standings.precompute import precompute_corrected
from sharedtask.submissions import rescore
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.extend import extend
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work import targets
from sharedtask.work.lease import PATIENCE
from sharedtask.work.sweep import sweep_job
from tests.sharedtask.support.building import LOUDLY, SECOND, TWO_ROOTS, WRONG_HEAD, good_archive
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]


def correct(folder: Path, gold: str = LOUDLY) -> Task:
    (folder / "gold" / "en_two.conllu").write_text(gold, encoding="utf-8")
    return load_task(folder)


@pytest.fixture
def folder(task: Task, tmp_path: Path) -> Path:
    return tmp_path / "task"


def test_a_correction_scores_stored_outputs_again_and_changes_nothing_yet(
    folder: Path, runs: tuple[Run, Run], work: Work, dispatched: list[Sent]
) -> None:
    before = list(Score.objects.order_by("pk").values())
    task = correct(folder)
    english = task.test_sets.get(code="en_two")
    assert english.gold_in_force is not None
    assert english.gold_in_force.number == 1
    new = Score.objects.filter(gold__number=2)
    assert new.count() == 2, "one for each stored output of this test set and no other"
    assert set(new.values_list("state", flat=True)) == {"waiting"}
    assert [message for message in dispatched if message[0] == targets.CHECK_RUN] == [], (
        "nothing is run again"
    )
    work()
    assert set(new.values_list("state", flat=True)) == {"scored"}
    assert list(Score.objects.filter(gold__number=1).order_by("pk").values()) == before
    assert {run.state for run in Run.objects.all()} == {"scored"}


def test_old_and_new_figures_and_ranks_are_compared(folder: Path, runs: tuple[Run, Run], work: Work) -> None:
    task = correct(folder)
    work()
    (phase,) = task.phases.all()
    (correction,) = pending_corrections(task)
    assert correction.test_set.gold_in_force is not None
    old = Versions(gold={correction.test_set_id: correction.test_set.gold_in_force})
    new = Versions(gold={correction.test_set_id: correction})
    (comparison,) = compare(phase, old=old, new=new, at=clock.database_now())
    results = [
        (row.run.team.name, row.old.rank, row.new.rank, row.old.figure, row.new.figure, row.change)
        for row in comparison.rows
    ]
    # One of the three words of one of the two sets is wrong: (100 + 66.67) / 2.
    assert results == [
        ("Birch", 2, 1, "83.33", "100.00", "+16.67"),
        ("Alder", 1, 2, "100.00", "83.33", "-16.67"),
    ]
    assert comparison.old_standing is not None
    assert comparison.new_standing is not None
    assert [row.new.interval for row in comparison.rows] == ["100.00–100.00", "83.33–83.33"]
    assert [row.old.ranks for row in comparison.rows] == ["2", "1"]


def test_the_preview_of_a_corrected_standing_is_for_organisers_only(
    folder: Path, runs: tuple[Run, Run], work: Work, organiser: User, client: Client
) -> None:
    held = Standing.objects.get()
    task = correct(folder)
    (phase,) = task.phases.all()
    assert precompute_corrected(phase, at=clock.database_now()) == 0, "not before everything is scored"
    work()
    upcoming = Standing.objects.get(in_force_since=None)
    (result,) = Standing.objects.in_force(phase)
    assert result == held, "readers see what they saw"
    address = f"/standings/{upcoming.public_id}.json"
    assert Client().get(address).status_code == 404
    client.force_login(organiser)
    assert client.get(address).status_code == 200
    put_in_force(task=task, by=organiser, reason="an arc", compared={"en_two": 2})
    work()
    assert Standing.objects.count() == 2, "nothing was computed a second time"
    assert Standing.objects.in_force(phase).first() == upcoming
    assert Client().get(address).status_code == 200


def test_the_organiser_compares_and_puts_in_force_in_one_step(
    folder: Path, runs: tuple[Run, Run], work: Work, organiser: User, client: Client
) -> None:
    task = correct(folder)
    client.force_login(organiser)
    page = client.get("/tasks/tiny/organise/gold/").content.decode()
    assert "2 files still to be scored" in page
    assert "Put the corrected gold in force" not in page
    work()
    page = client.get("/tasks/tiny/organise/gold/").content.decode()
    average = page[page.index("Over all test sets: old and new") :]
    rows = [
        re.sub(r"<[^>]+>|\s+", " ", row).split()
        for row in re.findall(r'<tr>\s*<th scope="row" class="team">.*?</tr>', average, re.S)
    ]
    assert rows == [
        ["Birch", "2", "2", "moved", "1", "1", "83.33", "83.33–83.33", "100.00", "100.00–100.00", "+16.67"],
        ["Alder", "1", "1", "moved", "2", "2", "100.00", "100.00–100.00", "83.33", "83.33–83.33", "-16.67"],
    ]
    old = Standing.objects.exclude(in_force_since=None).get()
    assert old.signature in page

    form = {"compared": ["en_two:2"], "reason": "Loudly is oblique."}
    stale = client.post(
        "/tasks/tiny/organise/gold/put-in-force/", form | {"compared": ["en_two:3"]}, follow=True
    )
    assert "has changed since you opened this page" in stale.content.decode()
    assert pending_corrections(task)
    client.post("/tasks/tiny/organise/gold/put-in-force/", form)
    english = TestSet.objects.get(code="en_two")
    assert english.gold_in_force is not None
    assert english.gold_in_force.number == 2
    work()
    new = Standing.objects.exclude(pk=old.pk).get()
    assert new.signature != old.signature, "both can be cited, and told apart"
    names = {run.public_id: run.team.name for run in runs}
    assert [names[row["run"]] for row in new.table["rows"]] == ["Birch", "Alder"]
    entry = AuditEntry.objects.get(action="put-gold-in-force")
    assert (entry.who, entry.reason) == (organiser, "Loudly is oblique.")
    assert entry.details == {"versions": {"en_two": [1, 2]}}

    page = client.get("/tasks/tiny/organise/gold/").content.decode()
    assert "Corrections to review" not in page
    fix = client.get(f"/tasks/tiny/organise/gold/corrections/{GoldFix.objects.get().pk}/").content.decode()
    assert old.signature in fix
    assert new.signature in fix
    assert "+16.67" in fix


def test_the_corrected_test_sets_come_first_with_those_who_did_not_submit_them(
    folder: Path,
    runs: tuple[Run, Run],
    upload: Callable[..., Run],
    team: Team,
    work: Work,
    organiser: User,
    client: Client,
) -> None:
    for name, archive in (
        ("Cedar", good_archive(en_two="")),
        ("Dogwood", good_archive(en_two=TWO_ROOTS)),
    ):
        upload(archive, team=register(task=team.task, name=name, confirmed=True))
    work()
    task = correct(folder)
    work()
    client.force_login(organiser)
    put_in_force(task=task, by=organiser, reason="an arc", compared={"en_two": 2})
    work()
    page = client.get(f"/tasks/tiny/organise/gold/corrections/{GoldFix.objects.get().pk}/").content.decode()
    first, average = page.split("On average")
    rows = [
        re.sub(r"<[^>]+>|\s+", " ", row).split()
        for row in re.findall(r'<tr>\s*<th scope="row" class="team">.*?</tr>', first, re.S)
    ]
    assert rows == [
        ["Birch", "2", "moved", "1", "66.67", "100.00", "+33.33"],
        ["Alder", "1", "moved", "2", "100.00", "66.67", "-33.33"],
    ]
    assert re.search(r"No output for this test set:\s+Cedar", first)
    assert re.search(r"Invalid output:\s+Dogwood", first)
    assert "de_one" not in first.split("On the corrected test sets")[1]
    assert "+16.67" in average


def test_it_cannot_be_put_in_force_while_scores_are_missing(
    folder: Path, runs: tuple[Run, Run], work: Work, organiser: User, upload: Callable[..., Run]
) -> None:
    task = correct(folder)
    values = {"task": task, "by": organiser, "reason": "why", "compared": {"en_two": 2}}
    with pytest.raises(Refusal) as refused:
        put_in_force(**values)  # type: ignore[arg-type]
    assert refused.value.id == "still-scoring"
    work()
    upload(good_archive(en_two=WRONG_HEAD))
    work()
    assert Score.objects.filter(gold__number=2).count() == 2
    with pytest.raises(Refusal):
        put_in_force(**values)  # type: ignore[arg-type]
    assert Score.objects.filter(gold__number=2).count() == 3, "the late run is scored against it as well"
    work()
    put_in_force(**values)  # type: ignore[arg-type]
    with pytest.raises(Refusal) as again:
        put_in_force(**values)  # type: ignore[arg-type]
    assert again.value.id == "gold-changed"


def test_a_run_that_was_checked_at_the_moment_of_the_change_is_scored_by_the_sweep(
    folder: Path, runs: tuple[Run, Run], work: Work
) -> None:
    correct(folder)
    work()
    Score.objects.filter(file__run=runs[0], gold__number=2).delete()
    english = TestSet.objects.get(code="en_two")
    english.gold_in_force = english.gold_versions.get(number=2)
    english.save()
    assert rescore.score_missing(at=clock.database_now()) == 1
    work()
    assert Score.objects.filter(gold__number=2, state="scored").count() == 2
    assert rescore.score_missing(at=clock.database_now()) == 0


def test_other_characters_need_another_test_set_once_there_are_runs(
    folder: Path, runs: tuple[Run, Run]
) -> None:
    with pytest.raises(BadTaskFolder, match="a different text needs a new test set"):
        correct(folder, SECOND.replace("Birds", "Frogs"))
    assert not GoldVersion.objects.filter(number=2).exists()


def test_the_gold_of_all_test_sets_is_released_with_one_tick(blind_task: Task, client: Client) -> None:
    organiser = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(organiser)
    close_now(blind_task)
    client.force_login(organiser)
    page = client.get("/tasks/blind/organise/gold/").content.decode()
    assert 'name="everything"' in page
    client.post("/tasks/blind/organise/gold/release/", {"everything": "on", "reason": "The task is over."})
    assert not GoldVersion.objects.filter(released_at=None).exists()
    assert AuditEntry.objects.get(action="release-gold").details == {"versions": {"de_one": 1, "en_two": 1}}


def test_gold_is_released_by_an_act_and_copied_by_a_worker(
    blind_task: Task, work: Work, client: Client, member: User
) -> None:
    organiser = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(organiser)
    address, act = "/tasks/blind/gold/en_two.conllu", "/tasks/blind/organise/gold/release/"
    client.force_login(member)
    assert client.post(act, {"code": ["en_two"], "reason": "over"}).status_code == 404
    client.force_login(organiser)
    refused = client.post(act, {"code": ["en_two"], "reason": ""}, follow=True).content.decode()
    assert "Please give a reason" in refused
    refused = client.post(act, {"code": ["en_two"], "reason": "over"}, follow=True).content.decode()
    assert "can still upload indefinitely, because the phase has no closing time" in refused
    close_now(blind_task)
    assert not GoldVersion.objects.filter(released_at__isnull=False).exists()
    client.post(act, {"code": ["en_two"], "reason": "The task is over."})
    version = GoldVersion.objects.get(released_at__isnull=False)
    assert (version.test_set.code, version.public_copy) == ("en_two", "")
    client.logout()
    assert client.get(address).status_code == 404, "no process of the web can open it"
    work()
    version.refresh_from_db()
    got = client.get(address)
    assert b"".join(got.streaming_content) == SECOND.encode()  # type: ignore[attr-defined]
    assert client.get("/tasks/blind/gold/de_one.conllu").status_code == 404
    assert "Gold of en_two" in client.get("/tasks/blind/").content.decode()
    assert version.statistics == {"sentences": 1, "tokens": 3, "words": 3, "bytes": len(SECOND)}
    entry = AuditEntry.objects.get(action="release-gold")
    assert (entry.who, entry.reason, entry.details) == (
        organiser,
        "The task is over.",
        {"versions": {"en_two": 1}},
    )
    with pytest.raises(Refusal) as again:
        release_gold(task=blind_task, by=organiser, reason="again", codes=["en_two"])
    assert again.value.id == "nothing-to-release"


def test_preparing_gold_twice_changes_nothing_and_a_lost_message_is_sent_again(
    blind_task: Task, dispatched: list[Sent], work: Work, as_worker: None
) -> None:
    dispatched.clear()
    assert sweep_job(prepare_gold.JOB, at=clock.database_now(), patience=PATIENCE).dispatched == 2
    work()
    assert sweep_job(prepare_gold.JOB, at=clock.database_now(), patience=PATIENCE).dispatched == 0
    GoldVersion.objects.update(released_at=clock.database_now())
    version = GoldVersion.objects.earliest("pk")
    prepare_gold.prepare_gold(version.pk)
    version.refresh_from_db()
    written = storage.path_of(version.public_copy).stat().st_mtime_ns
    prepare_gold.prepare_gold(version.pk)
    assert storage.path_of(version.public_copy).stat().st_mtime_ns == written


def test_gold_of_surprise_sets_and_open_tests_is_not_released_and_released_tests_are_not_extended(
    blind_task: Task, blind_team: Team
) -> None:
    at = clock.database_now()
    organiser = User.objects.create_user("organiser")
    phase, second = blind_task.phases.get(), timedelta(seconds=1)
    Phase.objects.update(closes_at=at - second)
    extend(phase=phase, team=blind_team, closes_at=at + second, reason="a strike", by=organiser, at=at)
    with pytest.raises(Refusal, match="a team can still upload until") as running:
        release_gold(task=blind_task, by=organiser, reason="too early", at=at)
    assert running.value.id == "gold-of-an-open-test"
    release_gold(task=blind_task, by=organiser, reason="over", codes=["de_one"], at=at + second)
    with pytest.raises(Refusal, match="stays closed") as known:
        extend(phase=phase, closes_at=at + 9 * second, reason="a plea", by=organiser, at=at + second)
    assert known.value.id == "gold-released"
    GoldVersion.objects.update(released_at=None)
    TestSet.objects.filter(code="en_two").update(inputs_released_at=at.replace(year=at.year + 1))
    with pytest.raises(Refusal) as refused:
        release_gold(task=blind_task, by=organiser, reason="too early", at=at + second)
    assert refused.value.id == "inputs-not-released"
    assert not GoldVersion.objects.filter(released_at__isnull=False).exists()


def test_signatures_on_the_page_follow_the_release(
    folder: Path, runs: tuple[Run, Run], work: Work, organiser: User, client: Client
) -> None:
    correct(folder)
    work()
    client.force_login(organiser)

    def marks() -> list[str]:
        return re.findall(r"\|gold:(hmac-)?", client.get("/tasks/tiny/organise/gold/").content.decode())

    assert marks() == ["", ""], "of the old and of the new standing; their gold is public"
    GoldVersion.objects.update(released_at=None)
    assert marks() == ["hmac-", "hmac-"], "although the standings were computed when it was public"
