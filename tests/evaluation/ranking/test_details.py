"""Every figure as arrays: the same figures as everywhere else, and as stored."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from evaluation.ranking.details import STATUSES, Details, build_details
from evaluation.ranking.document import build_document
from evaluation.ranking.philox import multiplicities
from evaluation.ranking.results import EVERYTHING, GoldSet
from evaluation.ranking.standings import Rules, Standings, compute_standings
from tests.evaluation.toy import campaign, random_campaign

MAIN = ("LAS", "CLAS")
RULES = Rules(replicates=300, seed=3, baselines=frozenset({"S1"}), number_baselines=False)


@pytest.fixture(scope="module")
def standings() -> Standings:
    return compute_standings(random_campaign(5, systems=5, missing=[(4, "kk"), (2, "ug")]), RULES)


@pytest.fixture(scope="module")
def arrays(standings: Standings) -> Details:
    return build_details(standings, MAIN)


def test_every_ranking_is_that_of_the_standings(standings: Standings, arrays: Details) -> None:
    for column, scope in enumerate(arrays.scopes):
        for number, metric in enumerate(arrays.metrics):
            for place in standings.ranking(metric, scope):
                at = arrays.systems.index(place.system), column, number
                assert arrays.f1[at] == place.f1
                assert (arrays.low[at], arrays.high[at]) == (place.low, place.high)
                assert arrays.rank[at] == (place.rank or 0)
                assert (arrays.rank_low[at], arrays.rank_high[at]) == (place.rank_range or (0, 0))
                assert arrays.line_below[at] == place.line_below
    assert arrays.line_below.any() and not arrays.rank.all(), (
        "the campaign has lines, and an unnumbered baseline"
    )


def test_systems_and_averages_are_those_of_the_document(standings: Standings, arrays: Details) -> None:
    document = build_document(standings, MAIN)
    assert list(arrays.systems) == [system["name"] for system in document["systems"]]
    for row, system in enumerate(document["systems"]):
        for scope, figures in system["macro"].items():
            assert arrays.f1[row, arrays.scopes.index(scope)].tolist() == [
                figures[metric]["f1"] for metric in arrays.metrics
            ]
        for code, file in system["treebanks"].items():
            column = arrays.codes.index(code)
            assert STATUSES[arrays.set_status[row, column]] == file["status"]
            expected = [file.get(metric, np.nan) for metric in arrays.metrics]
            assert np.array_equal(arrays.set_f1[row, column], expected, equal_nan=True)


def test_p_values_are_those_of_the_document(standings: Standings, arrays: Details) -> None:
    document = build_document(standings, MAIN)["pairs"]
    assert len(document) == len(MAIN) * 10
    for pair in document:
        at = MAIN.index(pair["metric"]), arrays.systems.index(pair["a"]), arrays.systems.index(pair["b"])
        assert arrays.p[at[0], arrays.scopes.index(EVERYTHING)][at[1:]] == pair["p"]
        assert arrays.p_holm[at] == pair["p_holm"]
        assert np.isnan(arrays.p_holm[at[0], at[2], at[1]]), "the lower system claims nothing"
    assert np.isnan(np.diagonal(arrays.p, axis1=-2, axis2=-1)).all()


def test_a_test_set_is_ranked_as_if_it_were_the_only_one(arrays: Details) -> None:
    """Its p-values and intervals are those of a campaign of this one test set."""
    results = random_campaign(5, systems=5, missing=[(4, "kk"), (2, "ug")])
    for column, code in enumerate(arrays.codes):
        alone = replace(results.subset(codes=[code]), sets=(GoldSet(code=code),))
        present = [name for name in alone.systems if alone.outcome(name, code).status == "valid"]
        expected = compute_standings(alone.subset(systems=present), RULES)
        for place in expected.ranking("LAS"):
            at = arrays.systems.index(place.system), column, arrays.metrics.index("LAS")
            assert (arrays.set_f1[at], arrays.set_low[at], arrays.set_high[at]) == (
                place.f1,
                place.low,
                place.high,
            )
            assert arrays.set_rank[at] == (place.rank or 0)
            assert (arrays.set_rank_low[at], arrays.set_rank_high[at]) == (place.rank_range or (0, 0))
            assert arrays.set_line_below[at] == place.line_below
        for a in present:
            for b in set(present) - {a}:
                p = arrays.set_p[0, column, arrays.systems.index(a), arrays.systems.index(b)]
                assert p == np.float32(expected.p(a, b, "LAS"))


def test_a_system_without_a_valid_file_has_no_place_on_that_test_set(arrays: Details) -> None:
    row, column = arrays.systems.index("S4"), arrays.codes.index("kk")
    assert STATUSES[arrays.set_status[row, column]] == "missing"
    assert np.isnan(arrays.set_f1[row, column]).all() and not arrays.set_rank[row, column].any()
    assert np.isnan(arrays.set_p[:, column, row]).all() and np.isnan(arrays.set_p[:, column, :, row]).all()
    assert np.isnan(arrays.set_difference_low[:, column, row]).all()


def test_the_interval_of_a_difference_is_that_of_its_replicates() -> None:
    """Computed slowly: every replicate of both systems, subtracted, then numpy's own percentiles."""
    files = {"Ash": [(9, 9, 8), (7, 7, 5), (4, 5, 4)], "Elm": [(9, 9, 6), (7, 8, 6), (4, 4, 1)]}
    arrays = build_details(
        compute_standings(
            campaign({name: {"en_a": rows} for name, rows in files.items()}), Rules(replicates=300)
        ),
        ["LAS"],
    )
    drawn = np.concatenate([multiplicities(1, "en_a", 3, 0, 250), multiplicities(1, "en_a", 3, 1, 50)])
    f1 = {}
    for name, rows in files.items():
        gold, system, correct = (drawn @ np.array(rows)).T
        f1[name] = 2 * correct / (gold + system)
    low, high = np.percentile(f1["Ash"] - f1["Elm"], [2.5, 97.5])
    ash, elm = arrays.systems.index("Ash"), arrays.systems.index("Elm")
    assert arrays.set_difference_low[0, 0, ash, elm] == pytest.approx(low, abs=1e-7)
    assert arrays.set_difference_high[0, 0, ash, elm] == pytest.approx(high, abs=1e-7)
    assert arrays.set_difference_low[0, 0, elm, ash] == pytest.approx(-high, abs=1e-7)


def test_withdrawn_systems_come_last_and_have_figures_but_no_place(standings: Standings) -> None:
    results = standings.results
    ranked = compute_standings(results.subset(systems=["S0", "S1", "S2"]), RULES)
    withdrawn = compute_standings(results.subset(systems=["S3", "S4"]), Rules(replicates=0))
    arrays = build_details(ranked, MAIN, withdrawn)
    assert set(arrays.systems[3:]) == {"S3", "S4"}
    assert np.isfinite(arrays.f1[3:]).all() and np.isnan(arrays.low[3:]).all()
    assert not arrays.rank[3:].any() and not arrays.set_rank[3:].any() and not arrays.rank_low[3:].any()
    assert np.isnan(arrays.p[:, :, 3:]).all() and np.isnan(arrays.p[:, :, :, 3:]).all()
    assert np.array_equal(arrays.rank[:3], build_details(ranked, MAIN).rank), (
        "and nobody's rank depends on them"
    )


def test_without_replicates_there_are_figures_and_ranks_only(standings: Standings) -> None:
    arrays = build_details(compute_standings(standings.results, Rules(replicates=0)), MAIN)
    assert np.isfinite(arrays.f1).all() and arrays.rank.all()
    for name in ("low", "high", "set_low", "p", "p_holm", "set_p", "set_difference_low"):
        assert np.isnan(getattr(arrays, name)).all(), name


def test_what_is_stored_is_read_as_it_was(arrays: Details) -> None:
    read = Details.from_bytes(arrays.to_bytes())
    for field in fields(Details):
        before, after = getattr(arrays, field.name), getattr(read, field.name)
        if isinstance(before, tuple):
            assert before == after
        else:
            assert before.dtype == after.dtype
            assert np.array_equal(before, after, equal_nan=before.dtype.kind == "f"), field.name


def test_what_was_read_cannot_be_changed_by_accident(arrays: Details) -> None:
    with pytest.raises(ValueError, match="read-only"):
        Details.from_bytes(arrays.to_bytes()).f1[0, 0, 0] = 1.0
