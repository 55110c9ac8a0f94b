"""Macro-averages and ranks, by hand and against the published figures of CoNLL 2017."""

import csv
from decimal import Decimal
from functools import reduce
from math import isnan
from operator import add
from pathlib import Path

import pytest

from evaluation.ranking.aggregate import format_f1, macro_average, ranks
from evaluation.scoring.profiles import PROFILES

METRICS = PROFILES["conll17"].metrics
# The published ranking gives teams their full names; these do not follow from the short ones by spelling.
FULL_NAMES = {"BASELINE UDPipe 1.1": "conll17-baseline", "ÚFAL – UDPipe 1.2": "UFAL-UDPipe-1-2"}

Scores = dict[str, dict[str, dict[str, str]]]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture(scope="module")
def published(shared_data: Path) -> Path:
    return shared_data / "conll17"


@pytest.fixture(scope="module")
def groups(published: Path) -> dict[str, list[str]]:
    """The test sets of each group, in the order of the file, `all` included."""
    values: dict[str, list[str]] = {"all": []}
    for row in rows(published / "groups.tsv"):
        values["all"].append(row["treebank"])
        values.setdefault(row["group"], []).append(row["treebank"])
    return values


@pytest.fixture(scope="module")
def scores(published: Path) -> Scores:
    """Printed scores of each team on each test set it has a row for."""
    values: Scores = {}
    for row in rows(published / "published-per-treebank.tsv"):
        values.setdefault(row["team"], {})[row["treebank"]] = row
    return values


def short_name(full: str, teams: Scores) -> str:
    name = full.rsplit(" (", 1)[0]
    plain = name.replace(" – ", "-").replace(" ", "-").replace("ç", "c").replace("ñ", "n")
    result = FULL_NAMES.get(name, plain)
    assert result in teams, full
    return result


def test_missing_files_count_as_zero_or_not_at_all() -> None:
    f1 = {"he": 0.5, "kk": None, "zh": 0.1}
    assert macro_average(f1) == pytest.approx(0.2)
    assert macro_average(f1, "exclude") == pytest.approx(0.3)
    assert isnan(macro_average({"he": None}, "exclude"))
    assert macro_average({}) == 0.0


def test_equal_printed_figures_share_a_rank() -> None:
    f1 = {"Ash": 0.70004, "Elm": 0.7000, "Oak": 0.69994, "Yew": 0.8, "Fir": 0.1}
    assert ranks(f1) == {"Yew": 1, "Ash": 2, "Elm": 2, "Oak": 4, "Fir": 5}


def test_unnumbered_baselines_take_nobodys_rank() -> None:
    f1 = {"Ash": 0.9, "baseline": 0.8, "Elm": 0.7}
    assert ranks(f1) == {"Ash": 1, "baseline": 2, "Elm": 3}
    assert ranks(f1, {"baseline"}) == {"Ash": 1, "baseline": None, "Elm": 2}


def test_published_macro_averages_come_out(
    published: Path, groups: dict[str, list[str]], scores: Scores
) -> None:
    """All 33 teams, 5 groups and 11 metrics; a missing row counts as zero.

    The published table averages printed scores, added up one by one. Where such an average lies exactly
    between two printed figures, only the rounding errors of that sum decide which of them is printed: there
    our exact sum must lie in the middle; everywhere else it must give the published figure to the last digit.
    """
    between = checked = 0
    for row in rows(published / "published-macro.tsv"):
        codes = groups[row["group"]]
        assert len(codes) == int(row["n"])
        delivered = scores[row["team"]]
        for metric in (f"{name}-F1" for name in METRICS):
            text = {code: delivered[code][metric] if code in delivered else None for code in codes}
            f1 = {code: None if value is None else float(value) / 100 for code, value in text.items()}
            one_by_one = reduce(add, (float(value or 0) for value in text.values()))
            assert f"{one_by_one / len(codes):.2f}" == row[metric]
            exact = reduce(add, (Decimal(value or 0) for value in text.values())) / len(codes)
            if abs(exact - Decimal(row[metric])) == Decimal("0.005"):
                between += 1
                assert 100 * macro_average(f1) == pytest.approx(float(exact), abs=1e-9)
            else:
                assert format_f1(macro_average(f1)) == row[metric], (row["team"], row["group"], metric)
            checked += 1
    assert (checked, between) == (33 * 5 * 11, 97)


def test_published_ranking_comes_out(published: Path, groups: dict[str, list[str]], scores: Scores) -> None:
    """Every rank and every score of the main ranking, and how many sets had a score above zero.

    The ranking was averaged before rounding. One team differs in the last digit where printed scores are
    averaged: METU, published as 61.98, has an average of printed scores of 61.99.
    """
    average = {
        team: macro_average(
            {code: float(score[code]["LAS-F1"]) / 100 if code in score else None for code in groups["all"]}
        )
        for team, score in scores.items()
    }
    ours = ranks(average)
    differing = []
    listed = rows(published / "published-ranking.tsv")
    assert len(listed) == len(scores) == 33
    for row in listed:
        team = short_name(row["team"], scores)
        assert ours[team] == int(row["rank"])
        if format_f1(average[team]) != row["LAS"]:
            differing.append((team, row["LAS"], format_f1(average[team])))
        nonzero = sum(float(item["LAS-F1"]) > 0 for item in scores[team].values())
        assert row["test_sets_nonzero"] == ("OK" if nonzero == 81 else str(nonzero))
    assert differing == [("METU", "61.98", "61.99")]
