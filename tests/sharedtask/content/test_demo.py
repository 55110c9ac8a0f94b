"""The demo: its made-up files are valid and the same every time, and loading it twice changes nothing."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command

import evaluation
from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, InputFile, Phase, Task, TestSet
from sharedtask.content.demo.corrupt import Rates, corrupt
from sharedtask.core import clock, storage
from sharedtask.folders.load_task import BadTaskFolder, load_task
from sharedtask.leaderboard.board.build import build_for_phase
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.teams.models import Membership, System, Team
from tests.sharedtask.support.building import task_folder
from tests.sharedtask.support.sending import Sent

GOLD = sorted((Path(settings.BASE_DIR) / "demo" / "gold").glob("*.conllu"))
WILD = Rates(boundaries=0.6, tokens=0.4, multiword=0.6, heads=0.6, labels=0.5, tags=0.5)


def f1(gold: Path, output: str, metric: str) -> float:
    return evaluation.score(gold, output.encode(), profile="conll17").metrics[metric].f1


@pytest.mark.parametrize("path", GOLD, ids=lambda path: path.stem)
@pytest.mark.parametrize("seed", ["one", "two", "three"])
def test_corrupted_gold_is_valid(path: Path, seed: str) -> None:
    output = corrupt(path.read_text(encoding="utf-8"), WILD, seed)
    text = evaluation.raw_text(evaluation.read(path))
    report = evaluation.validate(output.encode(), text=text, profile="conll17")
    assert report.counts == {}
    assert f1(path, output, "LAS") < 0.7


@pytest.mark.parametrize("path", GOLD, ids=lambda path: path.stem)
def test_uncorrupted_gold_scores_full_marks(path: Path) -> None:
    output = corrupt(path.read_text(encoding="utf-8"), Rates(), "any")
    assert f1(path, output, "LAS") == f1(path, output, "Sentences") == 1.0


@pytest.mark.parametrize(
    ("rates", "hurt", "unhurt"),
    [
        (Rates(labels=0.5), "LAS", "UAS"),
        (Rates(heads=0.5), "UAS", "Words"),
        (Rates(tags=0.5), "UPOS", "LAS"),
        (Rates(boundaries=0.8), "Sentences", "Tokens"),
        (Rates(tokens=0.3), "Tokens", "Sentences"),
        (Rates(multiword=0.9), "Words", "Tokens"),
    ],
)
def test_each_rate_hurts_its_own_metric(rates: Rates, hurt: str, unhurt: str) -> None:
    german = next(path for path in GOLD if path.stem == "de_garten")
    output = corrupt(german.read_text(encoding="utf-8"), rates, "seed")
    assert f1(german, output, hurt) < 0.97
    assert f1(german, output, unhurt) == 1.0


def test_the_same_seed_gives_the_same_file_and_another_seed_another() -> None:
    gold = GOLD[0].read_text(encoding="utf-8")
    assert corrupt(gold, WILD, "a") == corrupt(gold, WILD, "a")
    assert corrupt(gold, WILD, "a") != corrupt(gold, WILD, "b")


@pytest.mark.django_db(transaction=True)
def test_the_demo_comes_out_as_it_is_told(
    dispatched: list[Sent], work: Callable[[], None], data_dir: Path
) -> None:
    call_command("load_demo")
    task = Task.objects.get(slug="demo")
    assert set(Run.objects.values_list("state", flat=True)) == {"received"}, "scoring is the workers' work"
    work()
    rows = build_for_phase(AnonymousUser(), task.phases.get(), at=clock.database_now()).rows
    assert [row.name for row in rows if row.entrant.baseline] == ["Baseline"]
    assert {row.name for row in rows} == {"Baseline", "Linden", "Rowan", "Hornbeam", "Juniper"}
    states = set(RunFile.objects.values_list("run__team__name", "test_set__code", "state"))
    assert {row for row in states if row[2] != "valid"} == {
        ("Hornbeam", "ja_eki", "invalid"),
        ("Juniper", "sl_pogovor", "missing"),
    }
    assert all(float(row.score) > 50 for row in rows)
    assert Score.objects.done().count() == 5 * 8 - 2
    assert {file.run.team.is_confirmed for file in RunFile.objects.all()} == {True}


@pytest.mark.django_db(transaction=True)
def test_loading_the_demo_twice_changes_nothing(
    dispatched: list[Sent], capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    call_command("load_demo")
    first = capsys.readouterr().out

    def everything() -> list[object]:
        models = (Task, Phase, TestSet, InputFile, GoldVersion, Run, Team, System, Membership, User)
        return [list(model.objects.order_by("pk").values()) for model in models]

    before = everything()
    dispatched.clear()
    call_command("load_demo")
    assert everything() == before
    assert dispatched == []
    assert capsys.readouterr().out == first


@pytest.mark.django_db(transaction=True)
def test_demo_passwords_are_random_and_for_their_owner_only(
    dispatched: list[Sent], capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    call_command("load_demo")
    path = data_dir / "demo-accounts.txt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    passwords = dict(line.split() for line in path.read_text().splitlines())
    assert len(set(passwords.values())) == len(passwords) == 6
    printed = capsys.readouterr().out
    for name, password in passwords.items():
        assert len(password) >= 12
        assert f"{name:<10} {password}" in printed
        assert User.objects.get(username=name).check_password(password)
    assert not User.objects.filter(is_superuser=True).exists()


@pytest.mark.django_db
def test_a_corrected_gold_file_is_a_new_version(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "task")
    before = load_task(folder).test_sets.get(code="en_two")
    gold = folder / "gold" / "en_two.conllu"
    gold.write_text(gold.read_text().replace("advmod", "obl"))
    after = load_task(folder).test_sets.get(code="en_two")
    assert after.pk == before.pk
    assert [version.number for version in after.gold_versions.all()] == [1, 2]
    assert (before.gold_in_force.number, after.gold_in_force.number) == (1, 2)
    assert after.gold_in_force.sealed != before.gold_in_force.sealed
    assert after.gold_in_force.sha256 != before.gold_in_force.sha256
    assert after.inputs.count() == 1, "the text has not changed"


@pytest.mark.django_db
def test_an_invalid_gold_file_is_refused_with_its_name(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "task")
    (folder / "gold" / "en_two.conllu").write_text("1\tx\n\n")
    with pytest.raises(BadTaskFolder, match=r"en_two\.conllu, line 1"):
        load_task(folder)
    assert not Task.objects.exists()


@pytest.mark.django_db
def test_raw_text_of_the_folder_is_taken_and_has_to_agree(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "task")
    (folder / "raw").mkdir()
    (folder / "raw" / "en_two.txt").write_text("Birds  sing\nloudly")
    text = load_task(folder).test_sets.get(code="en_two").given_input
    assert text is not None
    assert storage.path_of(text.stored).read_text() == "Birds  sing\nloudly"
    assert text.characters == 15
    (folder / "raw" / "en_two.txt").write_text("Birds sing softly")
    with pytest.raises(BadTaskFolder, match=r"en_two\.conllu"):
        load_task(folder)


@pytest.mark.django_db
def test_gold_lies_sealed_and_in_plain_only_where_it_is_public(tmp_path: Path, data_dir: Path) -> None:
    """Every byte that a blind task stores is searched for a line of its gold."""
    blind = load_task(task_folder(tmp_path / "blind", slug="blind", blind=True))
    line = b"schlafen\tVERB"
    stored = [path.read_bytes() for path in data_dir.rglob("*") if path.is_file()]
    assert stored
    assert not any(line in content for content in stored)
    assert not GoldVersion.objects.filter(released_at__isnull=False).exists()
    assert blind.test_sets.filter(gold_in_force__isnull=False).count() == 2
    load_task(task_folder(tmp_path / "open"))
    public = GoldVersion.objects.get(test_set__task__slug="tiny", test_set__code="de_one")
    assert public.is_released
    assert line in storage.path_of(public.public_copy).read_bytes()
    assert line not in storage.path_of(public.sealed).read_bytes()


def test_a_demo_task_that_was_changed_on_the_site_stays_as_it_is(
    db: None, dispatched: list[Sent], data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("load_demo", verbosity=0)
    gold = TestSet.objects.get(task__slug="demo", code="en_par").gold_versions.get()
    # As after `arboretum gold replace`: a later version that is not public.
    GoldVersion.objects.create(test_set=gold.test_set, number=2, sha256="0" * 64)
    call_command("load_demo", verbosity=0)
    assert "on the site is left unchanged" in capsys.readouterr().err
    assert gold.test_set.gold_versions.count() == 2
