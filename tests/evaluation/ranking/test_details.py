"""Every figure as arrays: the same figures as everywhere else, and as stored."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from evaluation.ranking.details import SET, STATUSES, Details, build_details
from evaluation.ranking.document import build_document
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.philox import multiplicities
from evaluation.ranking.results import EVERYTHING, GoldSet, Results
from evaluation.ranking.standings import Place, Rules, Standings, compute_standings
from tests.evaluation.toy import campaign, random_campaign

MAIN = ("LAS", "CLAS")
RULES = Rules(replicates=300, seed=3, baselines=frozenset({"S1"}), number_baselines=False)


@pytest.fixture(scope="module")
def standings() -> Standings:
    return compute_standings(five_systems(), RULES)


def five_systems() -> Results:
    """Kazakh is too small for intervals of its own."""
    sizes = {"en_a": 29, "en_b": 34, "kk": 1, "ug": 23}
    return random_campaign(5, systems=5, sets=sizes, missing=[(4, "kk"), (2, "ug")])


@pytest.fixture(scope="module")
def built(standings: Standings) -> tuple[Details, dict[str, Pairs]]:
    pairs: dict[str, Pairs] = {}
    return build_details(standings, MAIN, keep=pairs.__setitem__), pairs


@pytest.fixture(scope="module")
def arrays(built: tuple[Details, dict[str, Pairs]]) -> Details:
    return built[0]


@pytest.fixture(scope="module")
def pairs(built: tuple[Details, dict[str, Pairs]]) -> dict[str, Pairs]:
    return built[1]


def test_every_ranking_is_that_of_the_standings(standings: Standings, arrays: Details) -> None:
    for column, scope in enumerate(arrays.scopes):
        for number, metric in enumerate(arrays.metrics):
            for place in standings.ranking(metric, scope):
                at = arrays.systems.index(place.system), column, number
                assert arrays.f1[at] == place.f1
                assert_interval((arrays.low[at], arrays.high[at]), place)
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


def assert_interval(found: tuple[float, float], place: Place) -> None:
    if place.low is None:
        assert np.isnan(found).all()
    else:
        assert found == (place.low, place.high)


def test_p_values_are_those_of_the_document(standings: Standings, pairs: dict[str, Pairs]) -> None:
    document = build_document(standings, MAIN)["pairs"]
    assert len(document) == len(MAIN) * 10
    for pair in document:
        names = pair["metric"], pair["a"], pair["b"]
        assert pairs[EVERYTHING].p_of(*names) == pair["p"]
        assert pairs[EVERYTHING].p_holm_of(*names) == pair["p_holm"]
    assert pairs["big"].p_of("UAS", "S0", "S1") is None, "only main metrics have p-values"
    assert pairs["big"].p_holm_of("LAS", "S0", "S1") is None


def test_the_one_sided_p_of_a_pair_is_that_of_the_better_one() -> None:
    rules = replace(RULES, test="one-sided")
    standings = compute_standings(five_systems(), rules)
    pairs: dict[str, Pairs] = {}
    build_details(standings, MAIN, keep=pairs.__setitem__)
    for scope in standings.results.scopes:
        for pair in standings.pairs("LAS", scope):
            found = {pairs[scope].p_of("LAS", *names) for names in ((pair.a, pair.b), (pair.b, pair.a))}
            assert found == {pair.p}


def test_a_test_set_is_ranked_as_if_it_were_the_only_one(arrays: Details, pairs: dict[str, Pairs]) -> None:
    """Its p-values and intervals are those of a campaign of this one test set."""
    results = five_systems()
    for column, code in enumerate(arrays.codes):
        alone = replace(results.subset(codes=[code]), sets=(GoldSet(code=code),))
        present = [name for name in alone.systems if alone.outcome(name, code).status == "valid"]
        expected = compute_standings(alone.subset(systems=present), RULES)
        for place in expected.ranking("LAS"):
            at = arrays.systems.index(place.system), column, arrays.metrics.index("LAS")
            assert arrays.set_f1[at] == place.f1
            assert_interval((arrays.set_low[at], arrays.set_high[at]), place)
            assert arrays.set_rank[at] == (place.rank or 0)
            assert (arrays.set_rank_low[at], arrays.set_rank_high[at]) == (place.rank_range or (0, 0))
            assert arrays.set_line_below[at] == place.line_below
        for a in present:
            for b in set(present) - {a}:
                assert pairs[SET + code].p_of("LAS", a, b) == expected.p(a, b, "LAS")


def test_a_test_set_that_is_too_small_has_no_intervals_and_no_p(
    arrays: Details, pairs: dict[str, Pairs]
) -> None:
    assert [code for code, is_small in zip(arrays.codes, arrays.set_too_small, strict=True) if is_small] == [
        "kk"
    ]
    column = arrays.codes.index("kk")
    assert np.isnan(arrays.set_low[:, column]).all() and not arrays.set_rank_low[:, column].any()
    assert arrays.set_rank[:, column].any() and not arrays.set_line_below[:, column].any()
    assert pairs["set:kk"].p_of("LAS", "S0", "S1") is None
    assert pairs["set:kk"].interval_of("LAS", "S0", "S1") is None
    assert pairs["set:en_a"].interval_of("LAS", "S0", "S1") is not None


def test_a_system_without_a_valid_file_has_no_place_on_that_test_set(
    arrays: Details, pairs: dict[str, Pairs]
) -> None:
    row, column = arrays.systems.index("S2"), arrays.codes.index("ug")
    assert STATUSES[arrays.set_status[row, column]] == "missing"
    assert np.isnan(arrays.set_f1[row, column]).all() and not arrays.set_rank[row, column].any()
    assert pairs["set:ug"].p_of("LAS", "S2", "S1") is None
    assert pairs["set:ug"].interval_of("LAS", "S1", "S2") is None
    assert pairs["set:ug"].p_of("LAS", "S0", "S1") is not None


def test_the_interval_of_a_difference_is_that_of_its_replicates() -> None:
    """Computed slowly: every replicate of both systems, subtracted, then numpy's own percentiles."""
    files = {"Ash": [(9, 9, 8), (7, 7, 5), (4, 5, 4)] * 7, "Elm": [(9, 9, 6), (7, 8, 6), (4, 4, 1)] * 7}
    pairs: dict[str, Pairs] = {}
    build_details(
        compute_standings(
            campaign({name: {"en_a": rows} for name, rows in files.items()}), Rules(replicates=300)
        ),
        ["LAS"],
        keep=pairs.__setitem__,
    )
    drawn = np.concatenate([multiplicities(1, "en_a", 21, 0, 250), multiplicities(1, "en_a", 21, 1, 50)])
    f1 = {}
    for name, rows in files.items():
        gold, system, correct = (drawn @ np.array(rows)).T
        f1[name] = 2 * correct / (gold + system)
    low, high = np.percentile(f1["Ash"] - f1["Elm"], [2.5, 97.5])
    assert pairs["set:en_a"].interval_of("LAS", "Ash", "Elm") == pytest.approx((low, high), abs=1e-7)
    assert pairs["set:en_a"].interval_of("LAS", "Elm", "Ash") == pytest.approx((-high, -low), abs=1e-7)


def test_withdrawn_systems_come_last_and_have_figures_but_no_place(standings: Standings) -> None:
    results = standings.results
    ranked = compute_standings(results.subset(systems=["S0", "S1", "S2"]), RULES)
    withdrawn = compute_standings(results.subset(systems=["S3", "S4"]), Rules(replicates=0))
    pairs: dict[str, Pairs] = {}
    arrays = build_details(ranked, MAIN, withdrawn, keep=pairs.__setitem__)
    assert set(arrays.systems[3:]) == {"S3", "S4"}
    assert np.isfinite(arrays.f1[3:]).all() and np.isnan(arrays.low[3:]).all()
    assert not arrays.rank[3:].any() and not arrays.set_rank[3:].any() and not arrays.rank_low[3:].any()
    assert {name for part in pairs.values() for name in part.systems} == {"S0", "S1", "S2"}
    assert np.array_equal(arrays.rank[:3], build_details(ranked, MAIN).rank), (
        "and nobody's rank depends on them"
    )


def test_without_replicates_there_are_figures_and_ranks_only(standings: Standings) -> None:
    pairs: dict[str, Pairs] = {}
    without = compute_standings(standings.results, Rules(replicates=0))
    arrays = build_details(without, MAIN, keep=pairs.__setitem__)
    assert np.isfinite(arrays.f1).all() and arrays.rank.all()
    for name in ("low", "high", "set_low"):
        assert np.isnan(getattr(arrays, name)).all(), name
    for part in pairs.values():
        assert np.isnan(part.p).all() and np.isnan(part.p_holm).all() and not part.low.size


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


def test_a_test_set_without_any_valid_file_has_no_pairs() -> None:
    missing = [(number, "ug") for number in range(5)]
    results = random_campaign(5, systems=5, sets={"en_a": 29, "ug": 23}, missing=missing)
    pairs: dict[str, Pairs] = {}
    arrays = build_details(compute_standings(results, RULES), MAIN, keep=pairs.__setitem__)
    assert {STATUSES[status] for status in arrays.set_status[:, arrays.codes.index("ug")]} == {"missing"}
    assert [pairs[name].systems for name in pairs if name.endswith("ug")] == [()]
