"""The example parsers follow the contract and write valid CoNLL-U for any text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import evaluation
from evaluation.reading.compare_text import WHITE_SPACE
from tests.machinery.debian import find_or_install
from tests.machinery.site import ROOT

TEXTS = {
    "spaces": "".join(f"a{space}b" for space in WHITE_SPACE),
    "empty_lines": "\n\nOne\nsentence\n\nin two lines? \n\n\n",
    "no_line_end": "Ends here",
    "marks": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ _ | 3.5% don't e-mail a_b “x” «y» ¿qué? ...\n",
    "scripts": "ما هذا؟ نعم، هذا. यह क्या है। 我们去学校。他们不去！\n",
    "more_scripts": "こんにちは「世界」 한국어 문장. ไทย 😀👩‍👩‍👧\n",
    "combining": "e\u0301 می\u200cروم \ufeffx\n",
    "only_marks": "... !!! ???\n",
}


def commands() -> dict[str, list[str]]:
    busybox = find_or_install(["busybox"], package="busybox-static", variable="BUSYBOX")
    return {
        "awk": [str(busybox), "awk", "-f", str(ROOT / "examples/awk/parser.awk")],
        "python": [sys.executable, str(ROOT / "examples/python/parser.py")],
    }


def run(parser: str, *arguments: str | Path, **variables: str) -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "1"} | variables
    subprocess.run([*commands()[parser], *map(str, arguments)], env=environment, check=True)


def write_inputs(folder: Path, texts: dict[str, str], **more: str) -> None:
    folder.mkdir()
    for code, text in texts.items():
        (folder / f"{code}.txt").write_bytes(text.encode())
    entries = [entry(code) | more for code in texts]
    # Indented, as some programs write it; others write everything in one line.
    (folder / "metadata.json").write_text(json.dumps(entries, indent=1 if len(texts) > 1 else None))


def entry(code: str) -> dict[str, str]:
    language, _, treebank = code.partition("_")
    return {
        "lcode": language,
        "tcode": treebank,
        "ltcode": code,
        "rawfile": f"{code}.txt",
        "outfile": f"{code}.conllu",
    }


def check_outputs(inputs: Path, outputs: Path, codes: Sequence[str]) -> None:
    assert sorted(path.name for path in outputs.iterdir()) == sorted(f"{code}.conllu" for code in codes)
    for code in codes:
        report = evaluation.validate(outputs / f"{code}.conllu", text=inputs / f"{code}.txt")
        assert [incident.message for incident in report.incidents] == [], code


@pytest.mark.parametrize("parser", ["awk", "python"])
def test_outputs_for_the_demo_are_valid(parser: str, tmp_path: Path) -> None:
    gold = {path.stem: evaluation.read(path) for path in sorted((ROOT / "demo/gold").glob("*.conllu"))}
    inputs, outputs = tmp_path / "inputs", tmp_path / "outputs"
    write_inputs(inputs, {code: evaluation.raw_text(treebank) for code, treebank in gold.items()})
    outputs.mkdir()
    run(parser, inputs, outputs)
    check_outputs(inputs, outputs, list(gold))
    scores = evaluation.score(ROOT / "demo/gold/en_par.conllu", outputs / "en_par.conllu")
    assert scores.metrics["Tokens"].f1 > 0.95


@pytest.mark.parametrize("parser", ["awk", "python"])
@pytest.mark.parametrize("code", TEXTS)
def test_output_for_an_unusual_text_is_valid(parser: str, code: str, tmp_path: Path) -> None:
    inputs, outputs = tmp_path / "inputs", tmp_path / "outputs"
    write_inputs(inputs, {code: TEXTS[code]})
    outputs.mkdir()
    # The folders are given in the second way.
    run(parser, INPUT_DIR=str(inputs), OUTPUT_DIR=str(outputs))
    check_outputs(inputs, outputs, [code])


def test_python_parser_takes_given_words_and_tags(tmp_path: Path) -> None:
    gold = evaluation.read(ROOT / "demo/gold/ar_suq.conllu")
    inputs, outputs = tmp_path / "inputs", tmp_path / "outputs"
    write_inputs(inputs, {"ar_suq": evaluation.raw_text(gold)}, psegmorfile="ar_suq-given.conllu")
    (inputs / "ar_suq-given.conllu").write_bytes((ROOT / "demo/gold/ar_suq.conllu").read_bytes())
    outputs.mkdir()
    run("python", inputs, outputs)
    check_outputs(inputs, outputs, ["ar_suq"])
    scores = evaluation.score(ROOT / "demo/gold/ar_suq.conllu", outputs / "ar_suq.conllu").metrics
    assert (scores["Words"].f1, scores["UPOS"].f1) == (1.0, 1.0)
    assert 0.2 < scores["UAS"].f1 < 1.0
