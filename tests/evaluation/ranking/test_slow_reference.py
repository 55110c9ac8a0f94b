"""The fast bootstrap gives the bits of the slow one: every interval, count, rank range, p and difference."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from evaluation.ranking import bootstrap
from evaluation.ranking.bootstrap import resample
from evaluation.ranking.counting import count_above, count_above_next, rank_ranges
from evaluation.ranking.differences import differences
from evaluation.ranking.printed import printed
from evaluation.ranking.results import Results
from evaluation.ranking.set_sums import make_set_sums
from evaluation.ranking.standings import Rules, compute_standings
from evaluation.scoring.presentation import Presentation
from tests.evaluation.slow_ranking import (
    differences_slowly,
    p_slowly,
    rank_ranges_slowly,
    resample_slowly,
)
from tests.evaluation.toy import random_campaign

RULES = Rules(replicates=620, seed=9, baselines=frozenset({"S2"}), number_baselines=False)
SIZES = {"en_a": 40, "en_b": 6, "kk": 1, "ug": 23}


@pytest.fixture(scope="module")
def results() -> Results:
    return random_campaign(11, systems=7, sets=SIZES, missing=[(1, "ug"), (4, "en_a"), (4, "kk")])


@pytest.mark.parametrize("missing", ["zero", "exclude"])
def test_every_count_interval_and_range_is_that_of_the_slow_one(results: Results, missing: str) -> None:
    rules = replace(RULES, missing=missing)
    slow = resample_slowly(results, rules)
    fast = resample(
        results,
        metrics=results.metrics,
        replicates=rules.replicates,
        seed=rules.seed,
        policy=rules.missing,
        unnumbered=rules.unnumbered,
    )
    assert np.array_equal(fast.low, slow.low) and np.array_equal(fast.high, slow.high)
    assert np.array_equal(fast.above, slow.above)
    ranges = rank_ranges_slowly(slow.rank_counts)
    assert np.array_equal(fast.rank_low, ranges[..., 0]) and np.array_equal(fast.rank_high, ranges[..., 1])


def test_a_few_metrics_at_a_time_give_the_same_as_all_together(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = list(results.metrics)
    together = resample(results, metrics=metrics, replicates=300, seed=2, compared=["LAS", "UAS"])
    blocks: list[str] = []
    average = bootstrap._average
    monkeypatch.setattr(
        bootstrap, "_average", lambda *given: (blocks.append(given[1].metrics), average(*given))[1]
    )
    monkeypatch.setattr(bootstrap, "_MEMORY", 1)
    apart = resample(results, metrics=metrics, replicates=300, seed=2, compared=["LAS", "UAS"])
    assert blocks == [(metric,) for metric in metrics]
    assert apart.metrics == together.metrics and apart.compared == together.compared
    for name in ("low", "high", "above", "next_above", "rank_low", "rank_high"):
        assert np.array_equal(getattr(apart, name), getattr(together, name)), name


@pytest.mark.parametrize("test", ["two-sided", "one-sided"])
def test_neighbours_are_compared_also_where_not_all_pairs_are(results: Results, test: str) -> None:
    rules = replace(RULES, test=test)
    all_pairs, few = (compute_standings(results, rules, compared=names) for names in (None, ["LAS"]))
    slow = resample_slowly(results, rules)
    names = list(results.systems)
    for scope_index, scope in enumerate(results.scopes):
        for metric_index, metric in enumerate(results.metrics):
            assert few.ranking(metric, scope) == all_pairs.ranking(metric, scope)
            above = slow.above[scope_index, metric_index]
            for a, b in combinations(range(len(names)), 2):
                expected = p_slowly(int(above[a, b]), int(above[b, a]), rules)
                found = all_pairs.p(names[a], names[b], metric, scope)
                assert found == (None if all_pairs.reason(scope) else expected)
    assert few.p("S0", "S1", "UAS") is None, "only neighbours are compared by it"


@pytest.mark.parametrize("replicates", [1, 250, 1000, 4250])
def test_intervals_of_differences_are_those_of_all_pairs_at_once(replicates: int) -> None:
    results = random_campaign(12, systems=6, sets={"he": 30})
    rules, main = Rules(replicates=replicates, seed=4), ["LAS", "CLAS"]
    low, high = differences_slowly(results, rules, "he", main)
    sums = make_set_sums(results, "he", main, replicates=replicates, seed=4)
    assert sums is not None
    found = differences(sums, main)
    first, second = np.triu_indices(6, 1)
    assert np.array_equal(found[0], low[:, first, second])
    assert np.array_equal(found[1], high[:, first, second])
    assert np.array_equal(-found[1], low[:, second, first]), "and the other direction mirrors them"


@pytest.mark.parametrize("systems", [1, 2, 9, 300])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("apart", [0, 0.03, 9], ids=["all overlap", "neighbours overlap", "none overlap"])
@pytest.mark.parametrize("replicates", [7, 250, 2300])
def test_counting_many_at_once_is_counting_one_by_one(
    systems: int, ties: bool, apart: float, replicates: int
) -> None:
    source = np.random.default_rng(3)
    values = source.random((systems, replicates)) + apart * source.permutation(systems)[:, None]
    values = values.round(2) if ties else values
    above = count_above(values)
    in_print, rivals = (values * 50).astype(np.int16), np.arange(systems) % 4 != 1
    ranges = rank_ranges(in_print, rivals)
    following = np.roll(np.arange(systems), -1)
    neighbours = count_above_next(values, following)
    for a in range(0, systems, 7):
        assert above[a].tolist() == (values[a] > values).sum(axis=1).tolist()
        assert above[:, a].tolist() == (values > values[a]).sum(axis=1).tolist()
        ranks = (in_print[rivals] > in_print[a]).sum(axis=0)
        counted = np.bincount(ranks, minlength=int(rivals.sum()) + 1)
        assert ranges[a].tolist() == rank_ranges_slowly(counted).tolist()
        assert neighbours[a].tolist() == [above[a, following[a]], above[following[a], a]]


@pytest.mark.parametrize(("factor", "digits"), [(100, 2), (1, 3), (100, 1), (1000, 2)])
@pytest.mark.parametrize("better", ["higher", "lower"])
def test_replicates_are_rounded_exactly_as_figures_are_printed(factor: int, digits: int, better: str) -> None:
    """Among them the doubles next to the middle between two printed values, where products mislead."""
    presentation = Presentation(explanation="", factor=factor, digits=digits, better=better)  # type: ignore[arg-type]
    middle = np.arange(1, 20_000, 2) / (2 * factor * 10.0**digits)
    figures = np.concatenate([middle, np.nextafter(middle, 0), np.nextafter(middle, 9), np.arange(64) / 64])
    sign = 1 if better == "higher" else -1
    expected = [sign * round(float(presentation.text(figure)) * 10**digits) for figure in figures.tolist()]
    assert printed(figures, presentation).tolist() == expected
    naive = np.rint(figures * factor * 10**digits)
    assert factor == 1 or (naive * sign != expected).any(), "a simple rounding would differ somewhere"
