"""Tracks of a campaign: their metrics alone, their name in the signature, and files without classes."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from evaluation import read, score
from evaluation.cli import main
from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.ranking.standings import Rules, compute_standings
from evaluation.reading.formats import FORMATS, NINE_COLUMNS_TAGS
from evaluation.reading.incidents import InvalidFile
from evaluation.scoring.counts import counts_by_unit
from evaluation.scoring.options import Options
from evaluation.scoring.score import compare

GOLD = (
    "1\tBirds\t_\tN\tNNS\tNOUN\t_\t2\tnsubj\n2\tsing\t_\tV\tVBP\tVERB\t_\t0\troot\n"
    "3\tloudly\t_\tR\tRB\tADV\t_\t2\tadvmod\n\n"
)
CLASSES = "1\tBirds\t_\t_\t_\tx\t_\t_\t_\n2\tsing\t_\t_\t_\ty\t_\t_\t_\n3\tloudly\t_\t_\t_\tx\t_\t_\t_\n\n"
TREES = "1\tBirds\t_\t_\t_\t_\t_\t2\t_\n2\tsing\t_\t_\t_\t_\t_\t0\t_\n3\tloudly\t_\t_\t_\t_\t_\t1\t_\n\n"
TAGS = Options(reader="nine-tags")


def outcome(system: str, options: Options | None = None) -> Outcome:
    comparison = compare(GOLD.encode(), system.encode(), "pascal12", options=options)
    return Outcome.from_counts(counts_by_unit(comparison, "sentence"))


def test_files_without_trees_need_no_heads() -> None:
    assert FORMATS["nine-tags"] is NINE_COLUMNS_TAGS
    assert read(CLASSES.encode(), format=NINE_COLUMNS_TAGS).words == 3
    with pytest.raises(InvalidFile):
        read(CLASSES.encode(), format=FORMATS["nine"])


def test_the_classes_of_a_file_without_trees_are_scored() -> None:
    figures = score(GOLD.encode(), CLASSES.encode(), "pascal12", options=TAGS).figures
    assert figures["M-1"] == pytest.approx(2 / 3) and figures["1-1"] == pytest.approx(2 / 3)


def test_a_file_without_classes_has_no_figures_against_tags() -> None:
    figures = score(GOLD.encode(), TREES.encode(), "pascal12").figures
    assert "VM" not in figures and "VI fine" not in figures and figures["Directed"] == pytest.approx(2 / 3)


def results() -> Results:
    both = TREES.replace("\t_\t_\t_\t_\t_\t", "\t_\t_\t_\tx\t_\t")
    return Results(
        profile="pascal12",
        sets=(GoldSet(code="en"), GoldSet(code="fr")),
        systems={
            "bare": {"en": outcome(TREES), "fr": outcome(TREES)},
            "half": {"en": outcome(TREES), "fr": outcome(both)},
        },
        track="joint",
        only=("Directed", "VI"),
    )


def test_averages_are_over_the_files_that_have_a_figure() -> None:
    standings = compute_standings(results(), Rules(missing="exclude", replicates=20))
    averages = standings.averages("VI")
    assert isnan(averages["bare"]) and averages["half"] == results().figures("half", "fr")["VI"]
    assert standings.averaged_files("half", "VI") == 1 and standings.averaged_files("half", "Directed") == 2
    assert standings.interval("half", "VI") == pytest.approx((averages["half"], averages["half"]))
    assert standings.ranking("VI")[0].system == "half"


def test_a_track_has_its_own_metrics_and_is_in_the_signature() -> None:
    standings = compute_standings(results(), Rules(missing="exclude", replicates=20))
    assert standings.results.metrics == ("Directed", "VI")
    assert "|track:joint|" in standings.signature("Directed")
    without = compute_standings(replace(results(), track="", only=()), Rules(missing="exclude", replicates=0))
    assert "track:" not in without.signature("Directed") and len(without.results.metrics) > 10


def test_a_campaign_can_be_that_of_a_track(tmp_path: Path) -> None:
    for name, content in (("gold/en", GOLD), ("systems/ash/en", CLASSES)):
        path = tmp_path / f"{name}.conllu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    output = tmp_path / "out.json"
    arguments = ["campaign", str(tmp_path / "gold"), str(tmp_path / "systems"), "--profile", "pascal12"]
    arguments += ["--reader", "nine-tags", "--track", "tags", "--metric", "VM", "--beside", "VI"]
    arguments += ["--replicates", "10", "--format", "json", "--output", str(output)]
    assert main(arguments) == 0
    document = json.loads(output.read_text())
    assert "|track:tags|" in document["signature"] and "|reader:nine-tags|" in document["signature"]
    assert "Directed" not in output.read_text()


def test_files_without_trees_have_no_figures_of_trees() -> None:
    figures = score(GOLD.encode(), CLASSES.encode(), "pascal12", options=TAGS).figures
    assert "VM" in figures and not [name for name in figures if "irected" in name or "NED" in name]
    figures = score(GOLD.encode(), GOLD.encode(), "conll18", options=TAGS).figures
    assert "UPOS" in figures and "LAS" not in figures
    with pytest.raises(ValueError, match="the files have no trees, and all metrics of plank15 compare trees"):
        score(GOLD.encode(), GOLD.encode(), "plank15", options=TAGS)


def test_a_campaign_of_files_without_trees_is_ranked_by_a_metric_of_tags() -> None:
    ash = {"en": outcome(CLASSES, TAGS)}
    tags = replace(results(), systems={"ash": ash}, options=TAGS, track="", only=())
    standings = compute_standings(tags, Rules(replicates=0))
    assert standings.results.main == ("M-1",) and "M-1" in standings.signature("M-1")
