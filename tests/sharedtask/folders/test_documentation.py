"""docs/tasks.md explains every field of task.yaml and no other, and the demo uses this format."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

import evaluation
from sharedtask.folders.fields import (
    DOWNLOAD,
    GOLD,
    INPUT,
    PHASE,
    REFERENCE,
    TASK,
    TEST_SET,
    TRACK,
    FieldSpec,
)

DOCUMENT = (Path(settings.BASE_DIR) / "docs" / "tasks.md").read_text(encoding="utf-8")
CONTENT = Path(settings.BASE_DIR) / "sharedtask" / "content"
TABLES = re.findall(r"\| field \|.*?(?=\n\n|\Z)", DOCUMENT, re.S)


@pytest.mark.parametrize(
    ("fields", "table"),
    list(zip((TASK, DOWNLOAD, TRACK, TEST_SET, GOLD, REFERENCE, INPUT, PHASE), TABLES, strict=True)),
    ids=["task", "downloads", "track", "test set", "gold", "references", "inputs", "phase"],
)
def test_every_field_is_explained_in_its_order(fields: tuple[FieldSpec, ...], table: str) -> None:
    rows = [re.split(r" ?\| ?", line)[1:-1] for line in table.split("\n")[2:] if line]
    assert [row[0].strip("`") for row in rows] == [field.name for field in fields]
    for row, field in zip(rows, fields, strict=True):
        assert len(row[1]) > 5, field.name
        assert (row[2] == "required") is field.required, field.name
        for choice in field.choices:
            assert f"`{choice}`" in row[1], f"{field.name} does not explain {choice}"
        # An empty default means something that the table says in words.
        if field.kind in ("number", "choice", "flag") and field.default not in (None, ""):
            default = str(field.default).lower() if field.kind == "flag" else str(field.default)
            assert row[2].strip("`") == default, field.name


def test_the_demo_is_a_good_folder_and_has_the_task_s_fields(capsys: pytest.CaptureFixture[str]) -> None:
    demo = Path(settings.BASE_DIR) / "demo"
    call_command("task", "check", str(demo))
    assert "is valid: 8 test sets, 1 phases" in capsys.readouterr().out
    task_file = (demo / "task.yaml").read_text(encoding="utf-8")
    missing = [field.name for field in TASK if not re.search(rf"^{field.name}:", task_file, re.M)]
    # An invented address would be somebody's; tracks are in the other demo; the usual classes need no text.
    assert missing == ["contact", "error_classes", "server_baselines", "tracks"]
    induction = (CONTENT / "induction" / "task.yaml").read_text(encoding="utf-8")
    for name in ("server_baselines", "tracks"):
        assert re.search(rf"^{name}:", induction, re.M), name
    for field in (*TEST_SET, *PHASE, *GOLD):
        # No treebank of the demo has been annotated twice.
        if field.name not in ("inputs", "references") and "runs_" not in field.name:
            assert re.search(rf"\b{field.name}:", task_file), field.name


def test_the_command_that_makes_a_raw_text_works(tmp_path: Path) -> None:
    (command,) = re.findall(r"^python (-c .*)$", DOCUMENT, re.M)
    for folder in ("gold", "raw"):
        (tmp_path / folder).mkdir()
    gold = (Path(settings.BASE_DIR) / "demo" / "gold" / "de_garten.conllu").read_bytes()
    (tmp_path / "gold" / "de_garten.conllu").write_bytes(gold)
    environment = os.environ | {"PYTHONPATH": str(settings.BASE_DIR), "PYTHONIOENCODING": "utf-8"}
    subprocess.run(f"{sys.executable} {command}", shell=True, cwd=tmp_path, env=environment, check=True)
    text = (tmp_path / "raw" / "de_garten.txt").read_text(encoding="utf-8")
    assert text == evaluation.raw_text(evaluation.read(gold))


def test_the_commands_of_the_document_are_those_of_the_program() -> None:
    assert re.findall(r"`manage\.py task (\w+) DIR", DOCUMENT) == ["check", "import", "import", "export"]
