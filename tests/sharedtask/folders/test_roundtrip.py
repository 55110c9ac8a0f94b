"""A task folder goes in and comes out the same; a dry run changes nothing; runs are never dropped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError

from sharedtask.competition.models import AuditEntry, GoldVersion, InputFile, Phase, Task, TestSet
from sharedtask.core import storage
from sharedtask.folders.load_task import BadTaskFolder, load_task
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import GOLD, good_archive, task_folder
from tests.sharedtask.support.folders import CORRECTED, TASK, contents, task_command, write_folder

pytestmark = pytest.mark.django_db
MODELS = (Task, TestSet, InputFile, GoldVersion, Phase, AuditEntry)


def everything() -> list[Any]:
    return [list(model._default_manager.order_by("pk").values()) for model in MODELS]


def forget(task: Task) -> None:
    """As on another server: nothing of the task is left but the files that were exported."""
    TestSet.objects.filter(task=task).update(gold_in_force=None)
    TestSet.objects.filter(task=task).delete()
    Phase.objects.filter(task=task).delete()
    Task.objects.filter(pk=task.pk).update(slug="forgotten")


def test_export_import_export_is_the_same_bytes(tmp_path: Path, as_worker: None) -> None:
    task = load_task(write_folder(tmp_path / "written"))
    first, second = tmp_path / "first", tmp_path / "second"
    task_command("export", first, "--task", "full")
    forget(task)
    assert "add task full" in task_command("import", first)
    task_command("export", second, "--task", "full")
    assert contents(first) == contents(second)
    assert contents(first)["gold/en_two.2.conllu"] == CORRECTED.encode()
    assert contents(first)["inputs/de_one.raw.1.txt"] == "Der Hund schläft .\n".encode()
    assert {"inputs/en_two.trial.1.conllu", "inputs/en_two.udpipe.1.conllu"} <= set(contents(first))
    assert len(contents(first)) == 1 + 3 + 5


def test_an_export_says_what_the_folder_said(tmp_path: Path, as_worker: None) -> None:
    """Read by YAML's own reader, so that our reader and our writer cannot be wrong in the same way."""
    load_task(write_folder(tmp_path / "written"))
    task_command("export", tmp_path / "out", "--task", "full")
    message, result = yaml.safe_load(TASK), yaml.safe_load((tmp_path / "out" / "task.yaml").read_text())
    for name in set(message) - {"test_sets", "phases"}:
        assert result[name] == message[name], name
    norwegian = result["test_sets"][0]
    assert (norwegian["tag"], norwegian["groups"]) == ("no", ["big", "yes"])
    assert norwegian["note"] == "'quoted' # no comment"
    surprise = result["test_sets"][1]
    assert surprise["revealed_at"] == datetime(2026, 5, 1, tzinfo=UTC)
    assert surprise["inputs_released_at"] == datetime(2026, 5, 8, 10, tzinfo=UTC)
    assert [version.get("note") for version in surprise["gold"]] == [None, "Loudly is oblique.\nSays who?"]
    assert surprise["gold_in_force"] == 1
    assert {item["variant"]: item.get("sample", False) for item in surprise["inputs"]} == {
        "raw": False,
        "udpipe": False,
        "trial": True,
    }
    assert [phase["code"] for phase in result["phases"]] == ["dev", "test", "post"]
    assert result["phases"][1]["closes_at"] == datetime(2026, 5, 15, 12, 0, 0, 500_000, tzinfo=UTC)
    assert result["phases"][0]["test_sets"] == ["de_one"]


def test_the_demo_goes_round_too(tmp_path: Path, settings: Any, as_worker: None) -> None:
    task = load_task(Path(settings.BASE_DIR) / "demo")
    task_command("export", tmp_path / "first", "--task", "demo")
    forget(task)
    task_command("import", tmp_path / "first")
    task_command("export", tmp_path / "second", "--task", "demo")
    assert contents(tmp_path / "first") == contents(tmp_path / "second")
    gold = (Path(settings.BASE_DIR) / "demo" / "gold" / "ja_eki.conllu").read_bytes()
    assert contents(tmp_path / "first")["gold/ja_eki.1.conllu"] == gold


def test_exported_gold_is_its_owners_alone_and_needs_the_key(
    tmp_path: Path, settings: Any, as_worker: None
) -> None:
    load_task(write_folder(tmp_path / "written"))
    task_command("export", tmp_path / "out", "--task", "full")
    assert (tmp_path / "out" / "gold" / "en_two.1.conllu").stat().st_mode & 0o077 == 0
    settings.GOLD_PRIVATE_KEY_FILE = ""
    with pytest.raises(CommandError, match="GOLD_PRIVATE_KEY_FILE is unset"):
        task_command("export", tmp_path / "nowhere", "--task", "full")
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(CommandError, match="no task nowhere"):
        task_command("export", tmp_path / "nowhere", "--task", "nowhere")


def test_importing_again_changes_nothing(tmp_path: Path, data_dir: Path) -> None:
    folder = write_folder(tmp_path / "written")
    assert "add gold version 2 of en_two" in task_command("import", folder)
    before, files = everything(), sorted(data_dir.rglob("*"))
    assert task_command("import", folder) == "No changes.\n"
    assert everything() == before
    assert sorted(data_dir.rglob("*")) == files


def test_a_dry_run_tells_what_the_import_then_does_and_changes_nothing(
    tmp_path: Path, data_dir: Path
) -> None:
    folder = write_folder(tmp_path / "written")
    load_task(folder)
    before, files = everything(), sorted(data_dir.rglob("*"))
    write_folder(
        folder,
        {
            "task.yaml": TASK.replace("title: A full task", "title: Another title")
            .replace("runs_per_day: 2, runs_total: 4", "runs_per_day: 3, runs_total: 4, test_sets: [en_two]")
            .replace(
                "    gold_in_force: 1",
                "      - {version: 3, file: gold/third.conllu}\n    gold_in_force: 2",
            ),
            "gold/third.conllu": CORRECTED.replace("obl", "obl:mod"),
        },
    )
    result = task_command("import", folder, "--dry-run")
    assert everything() == before
    assert sorted(data_dir.rglob("*")) == files
    lines = result.splitlines()
    assert lines[:5] == [
        "change task: title A full task → Another title",
        "add gold version 3 of en_two",
        "change gold in force of en_two: version 2",
        "change phase test: runs_per_day 2 → 3",
        "change test sets of phase test: without de_one",
    ]
    assert [line.split(":")[0] for line in lines[5:-1]] == ["Visible", "Visible"]
    assert lines[-1] == "Dry run: nothing was changed."
    assert task_command("import", folder, "--reason", "corrections").splitlines() == lines[:5]
    assert Task.objects.get(slug="full").title == "Another title"
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.reason, entry.details["changes"]) == (
        "import-folder",
        "corrections",
        lines[:5],
    )


def test_gold_is_in_force_and_public_as_the_folder_says(tmp_path: Path) -> None:
    task = load_task(write_folder(tmp_path / "written"))
    in_force = {
        test_set.code: test_set.gold_in_force.number
        for test_set in task.test_sets.all()
        if test_set.gold_in_force
    }
    assert in_force == {"de_one": 1, "en_two": 1}
    public = GoldVersion.objects.filter(released_at__isnull=False)
    assert [str(version) for version in public] == ["de_one gold 1"]


@pytest.mark.django_db(transaction=True)
def test_an_import_never_drops_runs(
    tmp_path: Path, task: Task, team: Team, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    run = upload(good_archive())
    work()
    rows = [list(model._default_manager.order_by("pk").values()) for model in (Run, RunFile, Score)]
    folder = tmp_path / "task"
    document = yaml.safe_load((folder / "task.yaml").read_text())

    def write(**changed: Any) -> Path:
        (folder / "task.yaml").write_text(yaml.safe_dump(document | changed))
        return folder

    load_task(write(title="Another title", test_sets=document["test_sets"][::-1]))
    for changed, field in (
        ({"test_sets": document["test_sets"][:1]}, "test_sets: en_two is not in the folder"),
        ({"phases": [document["phases"][0] | {"code": "new"}]}, "phases: open is not in the folder"),
        ({"phases": [document["phases"][0] | {"test_sets": ["de_one"]}]}, "en_two has runs in this phase"),
        ({"profile": "conll18"}, "profile: found conll18, expected conll17"),
        ({"resampling_unit": "sentence"}, "resampling_unit: found sentence, expected document"),
    ):
        before = everything()
        with pytest.raises(BadTaskFolder) as refused:
            load_task(write(**changed))
        assert field in str(refused.value)
        assert everything() == before
    assert [list(model._default_manager.order_by("pk").values()) for model in (Run, RunFile, Score)] == rows
    run.refresh_from_db()
    assert run.state == "scored"


@pytest.mark.django_db(transaction=True)
def test_what_no_run_needs_can_go_with_its_files(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "task")
    load_task(folder)
    gold = GoldVersion.objects.get(test_set__code="en_two")
    document = yaml.safe_load((folder / "task.yaml").read_text())
    document["test_sets"] = document["test_sets"][:1]
    (folder / "task.yaml").write_text(yaml.safe_dump(document))
    task = load_task(folder)
    assert [test_set.code for test_set in task.test_sets.all()] == ["de_one"]
    assert GoldVersion.objects.count() == 1
    assert not storage.path_of(gold.sealed).exists()
    assert not storage.path_of(gold.public_copy).exists()


def test_files_of_an_import_that_fails_are_taken_away(
    tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**values: Any) -> None:
        raise RuntimeError("the power went")

    monkeypatch.setattr("sharedtask.folders.apply.audit.write", fail)
    with pytest.raises(RuntimeError):
        load_task(write_folder(tmp_path / "written"))
    assert not Task.objects.exists()
    assert not [path for path in data_dir.rglob("*") if path.is_file()]


def test_a_changed_short_form_becomes_the_next_version(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "task")
    load_task(folder)
    (folder / "gold" / "en_two.conllu").write_text(GOLD["en_two"].replace("advmod", "obl"))
    result = task_command("import", folder)
    assert result == "add gold version 2 of en_two\nchange gold in force of en_two: version 2\n"
    english = TestSet.objects.get(code="en_two")
    assert english.gold_in_force is not None
    assert english.gold_in_force.number == 2, "there are no runs whose scores could change"
    text = english.given_input
    assert text is not None
    assert storage.path_of(text.stored).read_text() == "Birds sing loudly\n"
