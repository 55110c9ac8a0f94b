"""New texts of the rules need a new version, and a version of gold is written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharedtask.competition.models import Task
from sharedtask.folders.load_task import load_task
from sharedtask.folders.problems import BadTaskFolder
from tests.sharedtask.support.building import SECOND
from tests.sharedtask.support.folders import TASK, write_folder

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("old", "new", "field", "words"),
    [
        ("Be fair.", "Be fast.", "rules_version", "found 3, expected at least 4"),
        ("CC BY 4.0", "CC BY 3.0", "rules_version", "found 3, expected at least 4"),
        ("rules_version: 3", "rules_version: 2", "rules_version", "found 2, expected at least 3"),
    ],
)
def test_another_text_of_the_rules_needs_another_version(
    old: str, new: str, field: str, words: str, tmp_path: Path
) -> None:
    load_task(write_folder(tmp_path))
    with pytest.raises(BadTaskFolder) as refused:
        load_task(write_folder(tmp_path, {"task.yaml": TASK.replace(old, new)}))
    (problem,) = refused.value.problems
    assert (problem.field, problem.line) == (field, 11)
    assert words in problem.message
    raised = TASK.replace(old, new).replace("rules_version: 3", "rules_version: 4")
    load_task(write_folder(tmp_path, {"task.yaml": raised.replace("rules_version: 2", "rules_version: 4")}))
    assert Task.objects.get().rules_version == 4


def test_the_first_rules_need_no_other_version(tmp_path: Path) -> None:
    silent = TASK.replace("rules: |\n  1. Be fair.\n", "").replace("data_licence: CC BY 4.0\n", "")
    load_task(write_folder(tmp_path, {"task.yaml": silent}))
    assert load_task(write_folder(tmp_path)).rules == "1. Be fair.\n"


def test_a_version_is_written_once(tmp_path: Path) -> None:
    load_task(write_folder(tmp_path))
    with pytest.raises(BadTaskFolder) as refused:
        load_task(write_folder(tmp_path, {"gold/en_two.conllu": SECOND.replace("advmod", "dep")}))
    (problem,) = refused.value.problems
    assert (problem.field, problem.line) == ("test_sets[2].gold[1].version", 45)
    assert "number this one 3" in problem.message
    with pytest.raises(BadTaskFolder, match="the same as the previous version"):
        load_task(
            write_folder(tmp_path, {"gold/en_two.conllu": SECOND, "gold/en_two.corrected.conllu": SECOND})
        )
