"""The commands `score` and `validate`: exit codes, formats, standard input, compressed files."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evaluation
from evaluation import KINDS, PROFILES
from evaluation.cli import main
from tests.evaluation.small_files import conllu

ROOT = Path(__file__).parents[3]
GOLD = conllu("1 Bees NOUN 2 nsubj\n2 hum VERB 0 root\n3 . PUNCT 2 punct")
SYSTEM = conllu("1 Bees VERB 2 obj\n2 hum VERB 0 root\n3 . PUNCT 1 punct")
BAD = conllu("1 Bees NOUN 9 nsubj\n2 hum VERB 0 root\n3 . PUNCT _ punct")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conllu").write_bytes(GOLD)
    (tmp_path / "system.conllu").write_bytes(SYSTEM)
    (tmp_path / "bad.conllu").write_bytes(BAD)
    return tmp_path


def _run(*arguments: str, given: bytes = b"", folder: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    """The command as people run it, in a process of its own."""
    command = [sys.executable, "-m", "evaluation", *arguments]
    return subprocess.run(
        command, input=given, capture_output=True, cwd=folder, env={"PYTHONPATH": str(ROOT)}, check=False
    )


def test_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "gold.conllu", "system.conllu"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
    assert [line.split("|")[0].strip() for line in out[2:-1]] == list(PROFILES["conll18"].metrics)
    assert "LAS        |     33.33 |     33.33 |     33.33 |     33.33" in out
    assert "Words      |    100.00 |    100.00 |    100.00 |" in out
    assert out[-1].startswith("arboretum|profile:conll18|")


def test_counts(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "gold.conllu", "system.conllu", "--format=counts", "--profile=conll17"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "Metric     |   Correct |      Gold |    System |   Aligned"
    assert [line.split("|")[0].strip() for line in out[2:-1]] == list(PROFILES["conll17"].metrics)
    assert "CLAS       |         1 |         2 |         2 |         2" in out


def test_json_has_the_documented_fields(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "gold.conllu", "system.conllu", "--format=json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["signature", "profile", "metrics"]
    assert document["profile"] == "conll18"
    assert list(document["metrics"]) == list(PROFILES["conll18"].metrics)
    assert document["metrics"]["LAS"] == {
        "gold": 3,
        "system": 3,
        "correct": 1,
        "aligned": 3,
        "precision": 1 / 3,
        "recall": 1 / 3,
        "f1": 1 / 3,
        "aligned_accuracy": 1 / 3,
    }
    assert document["metrics"]["Words"]["aligned_accuracy"] is None
    assert document["signature"] == evaluation.score(GOLD, SYSTEM).signature


def test_csv(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "gold.conllu", "system.conllu", "--format=csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["metric"] for row in rows] == list(PROFILES["conll18"].metrics)
    assert {row["metric"]: float(row["f1"]) for row in rows}["UPOS"] == 2 / 3


@pytest.mark.parametrize(
    ("options", "metric", "expected"),
    [
        ([], "LAS", (3, 3, 1)),
        (["--punctuation=relation"], "LAS", (2, 2, 1)),
        (["--punctuation=form"], "UAS", (2, 2, 2)),
        (["--punctuation=form"], "CLAS", (2, 2, 1)),
        (["--la"], "LA", (3, 3, 2)),
    ],
)
def test_options(
    files: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    metric: str,
    expected: tuple[int, int, int],
) -> None:
    assert main(["score", "gold.conllu", "system.conllu", "--format=json", *options]) == 0
    tally = json.loads(capsys.readouterr().out)["metrics"][metric]
    assert (tally["gold"], tally["system"], tally["correct"]) == expected


def test_new_words(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of three types only the full stop is in the training data."""
    (files / "train.conllu").write_bytes(conllu("1 bees NOUN 2 nsubj\n2 sang VERB 0 root\n3 . PUNCT 2 punct"))
    command = ["score", "gold.conllu", "system.conllu", "--training", "train.conllu"]
    assert main(command) == 0
    assert "New words: 2 of 3 word types (66.67%)" in capsys.readouterr().out
    assert main([*command, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["new_words"] == {"types": 3, "new": 2, "share": 2 / 3}
    assert main([*command[:-1], "bad.conllu"]) == 2
    assert "head-outside" in capsys.readouterr().err


def test_subtypes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "pass.conllu").write_bytes(GOLD.replace(b"nsubj", b"nsubj:pass"))
    f1 = []
    for options in ([], ["--subtypes"]):
        assert main(["score", "gold.conllu", "pass.conllu", "--format=json", *options]) == 0
        f1.append(json.loads(capsys.readouterr().out)["metrics"]["LAS"]["f1"])
    assert f1 == [1.0, 2 / 3]


def test_invalid_system_file_is_exit_code_1(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "gold.conllu", "bad.conllu"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "bad.conllu:1 (sentence 1): [head-outside]" in captured.err
    assert "HEAD is 9, but the sentence has 3 words" in captured.err
    assert KINDS["head-malformed"].remedy in captured.err

    assert main(["score", "gold.conllu", "bad.conllu", "--format=json"]) == 1
    told_json = json.loads(capsys.readouterr().out)
    assert [incident["id"] for incident in told_json["incidents"]] == ["head-outside", "head-malformed"]
    assert told_json["incidents"][0]["file"] == "bad.conllu"


def test_other_characters_are_exit_code_1(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "other.conllu").write_bytes(GOLD.replace(b"hum", b"hun"))
    assert main(["score", "gold.conllu", "other.conllu"]) == 1
    assert "[characters-differ]" in capsys.readouterr().err
    assert main(["score", "gold.conllu", "missing.conllu"]) == 1
    assert "[unreadable-file]" in capsys.readouterr().err


def test_invalid_gold_file_is_exit_code_2(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for gold in ("bad.conllu", "missing.conllu"):
        assert main(["score", gold, "system.conllu"]) == 2
        assert "The gold file is invalid." in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"],
        ["score", "gold.conllu"],
        ["score", "gold.conllu", "system.conllu", "--profile=conll19"],
        ["score", "gold.conllu", "system.conllu", "--format=xml"],
    ],
)
def test_wrong_usage_is_exit_code_2(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["score", "-", "-"],
        ["validate"],
        ["validate", "--explain", "hed-outside"],
        ["validate", "gold.conllu", "--text=missing.txt"],
        ["validate", "gold.conllu", "system.conllu", "--text=gold.conllu"],
    ],
)
def test_what_cannot_be_done_is_exit_code_2(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]
)
def test_compressed_files(files: Path, capsys: pytest.CaptureFixture[str], suffix: str, pack: Any) -> None:
    (files / f"system.conllu{suffix}").write_bytes(pack(SYSTEM))
    assert main(["score", "gold.conllu", "system.conllu", "--format=json"]) == 0
    plain = capsys.readouterr().out
    assert main(["score", "gold.conllu", f"system.conllu{suffix}", "--format=json"]) == 0
    assert capsys.readouterr().out == plain
    # The kind is captured by the content and not by the name.
    (files / "unnamed").write_bytes(pack(SYSTEM))
    assert main(["validate", "unnamed"]) == 0


def test_standard_input(files: Path) -> None:
    named = _run("score", "gold.conllu", "system.conllu", folder=files)
    assert named.returncode == 0, named.stderr
    piped = _run("score", "gold.conllu", "-", given=SYSTEM, folder=files)
    assert (piped.returncode, piped.stdout) == (0, named.stdout)
    assert _run("score", "-", "system.conllu", given=GOLD, folder=files).stdout == named.stdout
    packed = _run("validate", "-", given=gzip.compress(BAD), folder=files)
    assert packed.returncode == 1
    assert packed.stdout.startswith(b"<stdin>:1 (sentence 1): [head-outside]")


def test_a_broken_pipe_causes_no_traceback(files: Path) -> None:
    many = conllu("1 Bees NOUN 9 nsubj") * 20_000
    (files / "many.conllu").write_bytes(many)
    with subprocess.Popen(
        [sys.executable, "-m", "evaluation", "validate", *["many.conllu"] * 20],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=files,
        env={"PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_output_that_cannot_be_written_is_reported(files: Path) -> None:
    command = [sys.executable, "-m", "evaluation", "score", "gold.conllu", "system.conllu"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}, check=False
        )
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert done.stderr.startswith(b"The output cannot be written: ")


def test_validate_text(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "gold.conllu", "bad.conllu"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "gold.conllu: valid"
    assert out[1].startswith("bad.conllu:1 (sentence 1): [head-outside] A HEAD points outside the sentence")
    assert out[2] == f"    {KINDS['head-outside'].remedy}"
    assert out[-1] == "bad.conllu: invalid"


def test_each_kind_is_explained_once_and_what_is_left_out_is_counted(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "many.conllu").write_bytes(conllu("1 Bees NOUN 9 nsubj") * 120)
    assert main(["validate", "many.conllu"]) == 1
    out = capsys.readouterr().out
    assert out.count("[head-outside] A HEAD") == 100
    assert out.count(KINDS["head-outside"].remedy) == 1
    assert "… and 20 more of [head-outside], 120 in total." in out


def test_validate_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "gold.conllu", "bad.conllu", "--format=json"]) == 1
    good, bad = json.loads(capsys.readouterr().out)
    assert good == {"file": "gold.conllu", "valid": True, "counts": {}, "incidents": []}
    assert bad["counts"] == {"head-outside": 1, "head-malformed": 1}
    assert bad["incidents"][1] == {
        "file": "bad.conllu",
        "id": "head-malformed",
        "line": 3,
        "sentence": 1,
        "found": "“_”",
        "expected": "a decimal number",
        "message": "A HEAD is not a number: found “_”, expected a decimal number.",
        "fatal": True,
    }


def test_validate_github(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "a,b:100%.conllu").write_bytes(BAD)
    assert main(["validate", "gold.conllu", "a,b:100%.conllu", "--format=github"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 2
    assert out[0].startswith("::error file=a%2Cb%3A100%25.conllu,line=1,title=head-outside::A HEAD points")


def test_validate_against_raw_text(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "raw.txt").write_bytes("\ufeffBees hum .\n".encode())
    assert main(["validate", "system.conllu", "--text=raw.txt"]) == 0
    (files / "raw.txt").write_text("Bees hums .", encoding="utf-8")
    assert main(["validate", "system.conllu", "--text=raw.txt"]) == 1
    assert "diverge from the raw text at character 9" in capsys.readouterr().out
    (files / "raw.txt").write_bytes(b"Bees \xff")
    assert main(["validate", "system.conllu", "--text=raw.txt"]) == 2


@pytest.mark.parametrize("id", KINDS)
def test_every_kind_is_explained(id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--explain", id]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{id}: {KINDS[id].title}.") and KINDS[id].remedy in out
    assert ("scores zero" in out) == KINDS[id].fatal


def test_an_unknown_incident_suggests_similar_ids(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--explain", "head-outsid"]) == 2
    assert "head-outside" in capsys.readouterr().err


def test_a_file_name_that_is_not_unicode_can_be_printed(files: Path) -> None:
    name = b"\xff.conllu"
    Path(files / name.decode("utf-8", "surrogateescape")).write_bytes(BAD)
    for format in ("text", "json", "github"):
        command = [sys.executable, "-m", "evaluation", "validate", f"--format={format}", name]
        environment = {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8:strict"}
        done = subprocess.run(command, capture_output=True, cwd=files, env=environment, check=False)
        assert (done.returncode, done.stderr) == (1, b"")


def test_a_terminal_without_unicode_causes_no_error(tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text("01\ta" + 8 * "\t_" + "\n\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "evaluation", "validate", str(bad)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "\\u201c01" in done.stdout
