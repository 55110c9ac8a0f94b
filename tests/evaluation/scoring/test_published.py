"""Every published figure of the test sets of CoNLL 2017 that are there, all teams, to the last printed digit.

The figures are those of the task's own results (published-per-treebank.tsv); the task scored with its own
evaluator, whose definitions the profile `conll17` reproduces. A file that it refused was published as zero.
"""

import csv
import io
from pathlib import Path

import pytest
from udtools import udeval

import evaluation
from evaluation import PROFILES, InvalidFile
from tests.evaluation.conftest import CONLL17

SETS = sorted(file.name.removesuffix(".tar.xz") for file in CONLL17.glob("*.tar.xz"))
METRICS = PROFILES["conll17"].metrics


def _published(shared_data: Path, treebank: str) -> dict[str, dict[str, str]]:
    with (shared_data / "conll17" / "published-per-treebank.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["treebank"] == treebank]
    return {row["team"]: {metric: row[f"{metric}-F1"] for metric in METRICS} for row in rows}


def _printed(gold: evaluation.Treebank, file: Path) -> dict[str, str]:
    try:
        metrics = evaluation.score(gold, file, profile="conll17").metrics
    except InvalidFile:
        return dict.fromkeys(METRICS, "0.00")
    return {name: f"{100 * tally.f1:.2f}" for name, tally in metrics.items()}


def test_all_sets_are_there(conll17: Path) -> None:
    assert sorted(path.name for path in conll17.iterdir()) == SETS
    assert len(SETS) >= 16


@pytest.mark.parametrize("treebank", SETS)
def test_published_figures(conll17: Path, shared_data: Path, treebank: str) -> None:
    gold = evaluation.read(conll17 / treebank / "gold.conllu")
    published = _published(shared_data, treebank)
    files = {path.stem: path for path in (conll17 / treebank / "system").iterdir()}
    assert len(files) >= 20
    ours = {team: _printed(gold, file) for team, file in files.items()}
    # A team without a row delivered nothing, or nothing that could be scored.
    nothing = dict.fromkeys(METRICS, "0.00")
    assert ours == {team: published.get(team, nothing) for team in files}


@pytest.mark.parametrize("number", range(len(SETS)))
def test_counts_of_conll18_equal_those_of_udtools(conll17: Path, number: int) -> None:
    """One system for each set, another one each time."""
    folder = conll17 / SETS[number]
    systems = sorted((folder / "system").iterdir())
    for system in systems[number % len(systems) :] + systems:
        try:
            ours = evaluation.score(folder / "gold.conllu", system, profile="conll18").metrics
        except InvalidFile:
            continue
        theirs = udeval.evaluate(*(_load(path) for path in (folder / "gold.conllu", system)))
        for name, tally in ours.items():
            counts = theirs[name].gold_total, theirs[name].system_total, theirs[name].correct
            assert (tally.gold, tally.system, tally.correct) == counts, name
            assert tally.aligned == theirs[name].aligned_total, name
        return
    pytest.fail("no system of this set is valid")


def _load(path: Path) -> object:
    return udeval.load_conllu(io.TextIOWrapper(io.BytesIO(path.read_bytes()), "utf-8"), str(path), {})
