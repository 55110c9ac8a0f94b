"""The command `cascades`: the files it makes, its table, its JSON, and controls that fail."""

import json
from pathlib import Path

import pytest

import evaluation
from evaluation.cli import main
from tests.evaluation.small_files import conllu

GOLD = conllu("1 Kim PROPN 2 nsubj\n2 saw VERB 0 root\n3 rain NOUN 2 obj")
PLAIN = conllu("1 Kim PROPN 2 nsubj\n2 saw VERB 0 root\n3 rain NOUN 1 obj")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.conllu").write_bytes(GOLD)
    (tmp_path / "outputs").mkdir()
    for name, output in (("plain", PLAIN), ("none", PLAIN), ("all", GOLD), ("np-attachment", GOLD)):
        (tmp_path / "outputs" / f"{name}.conllu").write_bytes(output)
    return tmp_path


def test_the_files_of_the_runs_are_prepared(folder: Path) -> None:
    assert main(["cascades", str(folder), "--prepare"]) == 0
    prepared = {path.stem for path in (folder / "constraints").iterdir()}
    assert {"none", "all", "np-attachment", "pp-attachment", "coordination"} < prepared
    assert len(prepared) == 11
    assert (folder / "input.conllu").read_bytes() == (folder / "constraints" / "none.conllu").read_bytes()
    assert evaluation.score(GOLD, folder / "constraints" / "all.conllu").metrics["LAS"].f1 == 1.0


def test_the_table_has_a_row_per_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cascades", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ["plain", "np-attachment", "all", "none"]
    row = [
        "np-attachment",
        "100.0",
        "0",
        "1",
        "50.0",
        "1.0",
        "100.00",
        "100.00",
        "33.33",
        "33.33",
        "0.00",
        "0",
        "0",
    ]
    assert lines[2].split() == row
    assert lines[-1] == "1 of 1 sentences, 3 words"


def test_json_has_counts_and_fractions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cascades", str(folder), "--format", "json", "--sentences", "own", "--punctuation"]) == 0
    first = json.loads(capsys.readouterr().out)["runs"][0]
    assert (first["run"], first["constrained_gain"], first["delta_uas"]) == ("np-attachment", 1, 1 / 3)


def test_a_failed_control_stops_with_the_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "outputs" / "all.conllu").write_bytes(PLAIN)
    assert main(["cascades", str(folder)]) == 1
    printed = capsys.readouterr()
    assert "ignores constraints" in printed.err
    assert printed.out == ""


def test_what_cannot_be_read_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "outputs" / "none.conllu").unlink()
    assert main(["cascades", str(folder)]) == 2
    assert "“none” is missing" in capsys.readouterr().err
    (folder / "gold.conllu").unlink()
    assert main(["cascades", str(folder)]) == 2
    assert "[unreadable-file]" in capsys.readouterr().err


def test_classes_that_cannot_be_read_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(folder / "own.classes")
    for options in (["--prepare"], []):
        assert main(["cascades", str(folder), "--classes", missing, *options]) == 2
        printed = capsys.readouterr().err
        assert f"{missing}: No such file or directory" in printed
        assert "universal or stanford" in printed
