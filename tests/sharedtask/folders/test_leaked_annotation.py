"""An input variant must not carry the trees of gold that is not public; tags are warned about."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharedtask.folders.leaked_annotation import agreeing_columns, words_of
from sharedtask.folders.load_task import BadTaskFolder, load_task
from tests.sharedtask.support.building import SECOND
from tests.sharedtask.support.folders import CORRECTED, task_command, write_folder

pytestmark = pytest.mark.django_db
VARIANT = "inputs/en_two.conllu"


def without(conllu: str, *columns: int) -> str:
    lines = []
    for line in conllu.split("\n"):
        cells = line.split("\t")
        if len(cells) == 10:
            for column in columns:
                cells[column] = "_"
        lines.append("\t".join(cells))
    return "\n".join(lines)


def problems(folder: Path) -> list[str]:
    with pytest.raises(BadTaskFolder) as refused:
        load_task(folder)
    return [str(problem) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("variant", "named"),
    [
        (SECOND, "heads and relations"),
        (CORRECTED, "heads and relations"),
        (without(SECOND, 7), "heads"),
        (without(SECOND, 6), "relations"),
        (without(SECOND, 2, 3, 4, 5, 9), "heads and relations"),
    ],
    ids=["gold", "a later version", "unlabelled trees", "relations only", "bare trees"],
)
def test_trees_of_sealed_gold_are_refused(tmp_path: Path, variant: str, named: str) -> None:
    (problem,) = problems(write_folder(tmp_path / "leak", {VARIANT: variant}))
    assert f"{VARIANT} has the {named} of the gold of en_two, which is not public" in problem
    assert "test_sets[2].inputs[1].file" in problem


def test_another_analysis_is_no_leak(tmp_path: Path) -> None:
    other = SECOND.replace("\t2\tnsubj", "\t3\tobj").replace("\t2\tadvmod", "\t1\tobj")
    load_task(write_folder(tmp_path / "baseline", {VARIANT: without(other, 2, 3, 4, 5)}))


def test_tags_of_sealed_gold_are_warned_about(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tags", {VARIANT: without(SECOND, 6, 7)})
    for arguments in (["check"], ["import", "--dry-run"], ["import"]):
        printed = task_command(arguments[0], folder, *arguments[1:])
        assert f"Note: the input {VARIANT} reveals the " in printed
        assert "of the gold of en_two, which is not public" in printed


def test_gold_that_is_public_may_be_an_input(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "public", {VARIANT: SECOND})
    text = (folder / "task.yaml").read_text()
    for name in ("gold/en_two.conllu", 'note: "Loudly is oblique.\\nSays who?"'):
        text = text.replace(name + "}", name + ", public: true}")
    (folder / "task.yaml").write_text(text)
    assert "reveals" not in task_command("check", folder)


def test_a_folder_cannot_declare_gold_public_that_is_sealed_here(tmp_path: Path) -> None:
    load_task(write_folder(tmp_path / "first"))
    folder = write_folder(tmp_path / "second", {"inputs/more.conllu": SECOND})
    text = (folder / "task.yaml").read_text()
    for name in ("gold/en_two.conllu", 'note: "Loudly is oblique.\\nSays who?"'):
        text = text.replace(name + "}", name + ", public: true}")
    trial = "      - {variant: trial"
    more = "      - {variant: more, version: 1, file: inputs/more.conllu}\n"
    text = text.replace(trial, more + trial)
    (folder / "task.yaml").write_text(text)
    assert any("inputs/more.conllu has the heads" in problem for problem in problems(folder))


def test_words_are_matched_by_their_place_in_the_text() -> None:
    """The variant splits a token: the heads have other numbers and the same place."""
    rows = "\n".join(f"{n}\tw{n}\t_\t_\t_\t_\t{n - 1}\tdep{n}\t_\t_" for n in range(1, 201))
    moved = "\n".join(f"{n + 1}\tw{n}\t_\t_\t_\t_\t{n}\tdep{n}\t_\t_" for n in range(2, 201))
    split = "1\tw\t_\t_\t_\t_\t0\tdep1\t_\t_\n2\t1\t_\t_\t_\t_\t1\tdep1\t_\t_\n" + moved
    gold, other = words_of(rows.encode()), words_of(split.encode())
    assert agreeing_columns(gold, other) == [6, 7]
    assert agreeing_columns(gold, words_of(rows.replace("\tdep", "\tother").encode())) == [6]


def test_a_file_that_is_not_conllu_is_left_to_the_other_checks() -> None:
    assert words_of(b"\xff\n1\t2\nx-y\t" + b"\t" * 8) == {}
