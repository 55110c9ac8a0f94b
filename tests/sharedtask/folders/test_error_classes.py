"""A task's own error classes: a small file of its folder, or the name of those that the evaluator has."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.errors.parse import built_in, built_in_file
from sharedtask.competition.error_classes import classes_of
from sharedtask.folders.load_task import BadTaskFolder, load_task
from tests.sharedtask.support.folders import TASK, write_folder

pytestmark = pytest.mark.django_db

OWN = "# Ours.\nclasses: Adverbs, Rest\nAdverbs: advmod\nRest: *\n"


def folder_with(tmp_path: Path, value: str, content: str) -> Path:
    folder = write_folder(tmp_path / "task", {"classes/own.classes": content})
    (folder / "task.yaml").write_text(f"{TASK}\nerror_classes: {value}\n", encoding="utf-8")
    return folder


def test_a_file_of_the_folder_has_the_classes(tmp_path: Path) -> None:
    task = load_task(folder_with(tmp_path, "classes/own.classes", OWN))
    assert classes_of(task).names == ("Adverbs", "Rest")
    assert task.error_classes == OWN


def test_those_of_the_paper_have_a_name(tmp_path: Path) -> None:
    task = load_task(folder_with(tmp_path, "stanford", OWN))
    assert classes_of(task) == built_in("stanford") != built_in("universal")
    assert task.error_classes == built_in_file("stanford").decode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("classes: A, B\n\nA: nsubj\nC: *\n", "classes/own.classes:4: “C” is not in the list of classes"),
        ("classes: Core, core\nCore: nsubj\ncore: *\n", "two runs would have the name “core”"),
        ("# \0\nclasses: A\nA: *\n", "classes/own.classes has a NUL byte"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(BadTaskFolder) as refused:
        load_task(folder_with(tmp_path, "classes/own.classes", content))
    (problem,) = refused.value.problems
    assert (problem.field, message in problem.message) == ("error_classes", True), problem.message
