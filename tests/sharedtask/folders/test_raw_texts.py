"""A test set whose gold is not public has a raw text of its own: one made from gold would give gold away."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command

from sharedtask.competition.models import GoldVersion, InputFile, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import storage
from sharedtask.folders.checks import read_folder
from sharedtask.folders.files import FolderOnDisk
from sharedtask.folders.load_task import BadTaskFolder, load_task
from tests.sharedtask.support.building import SECOND, TWO_ROOTS, task_folder
from tests.sharedtask.support.people import person
from tests.sharedtask.support.storing import store_raw_text

TWO_SENTENCES = SECOND + SECOND.replace("Birds", "Bees").replace("loudly", "softly")
RUNNING = "Birds sing loudly Bees sing softly\n"
A_LINE_EACH = "Birds sing loudly\nBees sing softly\n"


def folder_of(folder: Path, *, raw: str | None = None, trees: str = TWO_SENTENCES, **changes: Any) -> Path:
    """A task whose one test set, en_two, is blind; `changes` go into its entry in task.yaml."""
    task_folder(folder, slug="blind", blind=True)
    document = yaml.safe_load((folder / "task.yaml").read_text())
    del document["test_sets"][1]["public_gold"]
    document["test_sets"] = [document["test_sets"][1] | changes]
    (folder / "task.yaml").write_text(yaml.safe_dump(document))
    (folder / "gold" / "en_two.conllu").write_text(trees)
    path = folder / "raw" / "en_two.txt"
    path.unlink(missing_ok=True)
    if raw is not None:
        path.write_text(raw)
    return folder


def refusals(folder: Path) -> list[str]:
    with pytest.raises(BadTaskFolder) as refused:
        load_task(folder)
    return [f"{problem.field}: {problem.message}" for problem in refused.value.problems]


def text_of(task: Task) -> str:
    text = task.test_sets.get(code="en_two").given_input
    assert text is not None
    return storage.path_of(text.stored).read_text()


def task_command(verb: str, folder: Path) -> str:
    output = io.StringIO()
    call_command("task", verb, str(folder), stdout=output)
    return output.getvalue()


@pytest.mark.django_db
def test_a_blind_set_without_its_own_text_is_refused(tmp_path: Path, data_dir: Path) -> None:
    (message,) = refusals(folder_of(tmp_path))
    assert message.startswith("test_sets[1].inputs: en_two has no raw text: raw/en_two.txt is missing.")
    assert "gold is not public" in message
    assert "as it was before annotation" in message
    assert not Task.objects.exists()
    assert not list(data_dir.rglob("inputs/*"))
    assert text_of(load_task(folder_of(tmp_path, raw=RUNNING))) == RUNNING


@pytest.mark.parametrize(
    "changes",
    [
        {"revealed_at": "2027-05-01T00:00:00Z"},
        {"gold": [{"version": 1, "file": "gold/en_two.conllu", "public": False}]},
        {
            "gold": [
                {"version": 1, "file": "gold/de_one.conllu", "public": True},
                {"version": 2, "file": "gold/en_two.conllu"},
            ]
        },
        {"inputs": [{"variant": "tagged", "version": 1, "file": "gold/en_two.conllu"}]},
    ],
    ids=["a surprise", "the long form", "a newer version that is not public", "other inputs"],
)
def test_no_form_of_a_blind_set_gets_a_text_made_from_gold(changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(BadTaskFolder, match=r"en_two has no raw text: raw/en_two\.txt is missing"):
        read_folder(FolderOnDisk(folder_of(tmp_path, **changes)))


def test_the_variant_raw_is_a_text_of_its_own(tmp_path: Path) -> None:
    inputs = [{"variant": "raw", "version": 1, "file": "texts/en_two.txt"}]
    folder = folder_of(tmp_path, inputs=inputs)
    (folder / "texts").mkdir()
    (folder / "texts" / "en_two.txt").write_text(RUNNING)
    assert read_folder(FolderOnDisk(folder)).test_sets[0].raw_texts[0].content == RUNNING.encode()


def test_what_is_wrong_with_gold_is_told_together_with_the_missing_text(tmp_path: Path) -> None:
    with pytest.raises(BadTaskFolder) as refused:
        read_folder(FolderOnDisk(folder_of(tmp_path, trees=TWO_ROOTS)))
    assert {problem.file for problem in refused.value.problems} == {"task.yaml", "gold/en_two.conllu"}


@pytest.mark.django_db
def test_public_gold_gives_a_running_text(tmp_path: Path) -> None:
    """SpaceAfter, paragraphs and documents are honoured; no line says where a sentence ends."""
    gold = SECOND.replace("# text = Birds sing loudly\n", "").replace("\tsing\t", "\tsing,\t")
    gold = gold.replace(
        "1\tBirds\tbird\tNOUN\t_\t_\t2\tnsubj\t_\t_", "1\tBirds\tbird\tNOUN\t_\t_\t2\tnsubj\t_\tSpaceAfter=No"
    )
    folder = folder_of(tmp_path, trees=gold + SECOND + "# newpar\n" + SECOND, public_gold=True)
    assert text_of(load_task(folder)) == "Birdssing, loudly Birds sing loudly\n\nBirds sing loudly\n"


@pytest.mark.django_db
def test_a_public_set_that_becomes_blind_needs_a_text(tmp_path: Path) -> None:
    load_task(folder_of(tmp_path, public_gold=True))
    corrected = TWO_SENTENCES.replace("advmod", "obl")
    (message,) = refusals(folder_of(tmp_path, trees=corrected))
    assert "raw/en_two.txt is missing" in message
    task = load_task(folder_of(tmp_path, trees=corrected, raw="Birds sing loudly Bees\nsing softly"))
    assert text_of(task) == "Birds sing loudly Bees\nsing softly"
    assert [version.is_released for version in GoldVersion.objects.order_by("number")] == [True, False]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "public",
    [{"public_gold": True}, {"gold": [{"version": 1, "file": "gold/en_two.conllu", "public": True}]}],
    ids=["short form", "long form"],
)
def test_no_text_is_made_from_gold_that_is_still_sealed_here(public: dict[str, Any], tmp_path: Path) -> None:
    """An import does not release gold, so what the folder calls public may be sealed on this site."""
    task = load_task(folder_of(tmp_path, raw=RUNNING))
    (message,) = refusals(folder_of(tmp_path, **public))
    assert "gold version 1 of en_two is not public here" in message
    assert "raw/en_two.txt" in message
    assert InputFile.objects.count() == 1
    assert not GoldVersion.objects.get().is_released
    load_task(folder_of(tmp_path, raw=RUNNING, **public))
    organiser = person("organiser")
    document = yaml.safe_load((tmp_path / "task.yaml").read_text())
    document["phases"][0]["closes_at"] = "2026-01-02T00:00:00Z"
    (tmp_path / "task.yaml").write_text(yaml.safe_dump(document))
    release_gold(task=load_task(tmp_path), by=organiser, reason="the test is over")
    (tmp_path / "raw" / "en_two.txt").unlink()
    assert text_of(load_task(tmp_path)) == RUNNING, str(task)


@pytest.mark.django_db
def test_an_import_does_not_publish_a_correction_of_sealed_gold(tmp_path: Path) -> None:
    """A new version that is public at once would show what an open test still hides."""
    load_task(folder_of(tmp_path, raw=RUNNING))
    corrected = TWO_SENTENCES.replace("advmod", "obl")
    (message,) = refusals(folder_of(tmp_path, raw=RUNNING, trees=corrected, public_gold=True))
    assert "version 2 would be public at once, but version 1 is sealed" in message
    assert GoldVersion.objects.count() == 1
    load_task(folder_of(tmp_path, raw=RUNNING, trees=corrected))
    assert not GoldVersion.objects.filter(released_at__isnull=False).exists()


@pytest.mark.django_db
def test_a_text_that_an_older_import_made_from_gold_is_noticed(tmp_path: Path, as_worker: None) -> None:
    """An export names it as an input like any other, with a gold sentence on every line."""
    task = load_task(folder_of(tmp_path / "first", raw=RUNNING))
    store_raw_text(task.test_sets.get(), A_LINE_EACH)
    call_command("task", "export", str(tmp_path / "out"), task="blind", stdout=io.StringIO())
    result = task_command("import", tmp_path / "out")
    assert result.startswith("Note: the raw text of en_two reveals the sentences of its gold"), result
    replaced = task_command("import", folder_of(tmp_path / "first", raw=RUNNING))
    assert replaced == "add raw input version 3 of en_two\n"


@pytest.mark.django_db
def test_a_text_that_shows_tokens_is_noticed_too(tmp_path: Path) -> None:
    sing = "\tsing\tVERB\t_\t_\t0\troot\t_\t"
    trees = SECOND.replace(f"{sing}_", f"{sing}SpaceAfter=No")
    folder = folder_of(tmp_path, trees=trees, raw="Birds sing loudly")
    for verb in ("check", "import"):
        assert "Note: the raw text of en_two reveals the tokens of its gold" in task_command(verb, folder)


@pytest.mark.django_db
def test_where_gold_is_public_there_is_nothing_to_give_away(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, raw=A_LINE_EACH, public_gold=True)
    for verb in ("check", "import"):
        assert "note:" not in task_command(verb, folder)
