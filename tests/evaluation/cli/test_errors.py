"""The command `errors`: its table, its JSON, its classes and what it refuses."""

import json
from pathlib import Path

import pytest

from evaluation.cli import main
from tests.evaluation.small_files import conllu

GOLD = conllu("1 Bees NOUN 2 nsubj\n2 hum VERB 0 root\n3 . PUNCT 2 punct")
SYSTEM = conllu("1 Bees VERB 2 obj\n2 hum VERB 0 root\n3 . PUNCT 1 punct")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conllu").write_bytes(GOLD)
    (tmp_path / "system.conllu").write_bytes(SYSTEM)
    (tmp_path / "bad.conllu").write_bytes(GOLD.replace(b"\t0\t", b"\t9\t"))
    return tmp_path


def run(*arguments: str) -> int:
    return main(["errors", "gold.conllu", "system.conllu", *arguments])


def test_json_has_every_class_with_its_counts(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["classes"]
    assert list(document["classes"]) == [
        "NP attachment",
        "NP internal",
        "PP attachment",
        "Clause attachment",
        "Modifier attachment",
        "Coordination",
        "Root",
        "Punctuation",
        "Other",
    ]
    punctuation = {"words": 1, "errors": 1, "rate": 1.0, "displacement": 1.0, "unaligned": 0, "las_errors": 1}
    subject = {"words": 1, "errors": 0, "rate": 0.0, "displacement": None, "unaligned": 0, "las_errors": 1}
    assert document["classes"]["Punctuation"] == punctuation
    assert document["classes"]["NP attachment"] == subject


def test_the_table_ends_with_the_sum(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Error class ")
    assert len({len(line) for line in lines}) == 1
    assert [cell.strip() for cell in lines[-1].split("|")] == ["All", "3", "1", "33.33", "1.00", "0", "2"]


def test_classes_come_from_a_file_or_by_name(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "own").write_text("classes: Verbs, Rest\nVerbs: * if upos VERB\nRest: *\n")
    assert run("--classes", "own", "--format", "json") == 0
    assert list(json.loads(capsys.readouterr().out)["classes"]) == ["Verbs", "Rest"]
    assert run("--classes", "stanford", "--format", "json") == 0
    assert "NP attachment" in json.loads(capsys.readouterr().out)["classes"]


def test_bad_classes_are_refused_with_their_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "own").write_text("classes: A\n\nB: x\n")
    assert run("--classes", "own") == 2
    assert "own:3: “B” is not in the list of classes" in capsys.readouterr().err
    assert run("--classes", "missing") == 2
    assert "missing" in capsys.readouterr().err


def test_invalid_files_are_refused_as_by_score(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["errors", "gold.conllu", "bad.conllu"]) == 1
    assert "[head-outside]" in capsys.readouterr().err
    assert main(["errors", "gold.conllu", "bad.conllu", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["classes"] is None
    assert document["incidents"][0]["id"] == "head-outside"
    assert main(["errors", "bad.conllu", "gold.conllu"]) == 2
    assert "gold file is invalid" in capsys.readouterr().err
    assert main(["errors", "-", "-"]) == 2
