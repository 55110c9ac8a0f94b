"""The bootstrap against an implementation that is slow and obvious, closed forms, and simulation."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from evaluation.ranking.aggregate import Policy, format_f1
from evaluation.ranking.bootstrap import BootstrapResult, resample
from evaluation.ranking.philox import BATCH, multiplicities
from evaluation.ranking.results import Results
from evaluation.ranking.standings import Rules, compute_standings
from tests.evaluation.slow_ranking import rank_ranges_slowly
from tests.evaluation.toy import campaign, random_campaign

# Lower ends, upper ends, replicates in which one was above the other.
GOLDEN = (
    ["0x1.30d93787132dcp-2", "0x1.1857366b5eb7bp-2"],
    ["0x1.b2ab8e419343dp-2", "0x1.af22cd72f9b73p-2"],
    [[0, 590], [410, 0]],
)
MISSING = [(1, "ug"), (2, "en_a"), (2, "en_b"), (3, "kk")]


def in_print(figure: Fraction) -> float:
    return float(format_f1(float(figure)))


def las(results: Results, replicates: int = 1000, **more: object) -> BootstrapResult:
    return resample(results, metrics=["LAS"], replicates=replicates, seed=5, **more)  # type: ignore[arg-type]


def obvious(results: Results, scope: str, policy: Policy, replicates: int) -> list[list[Fraction]]:
    """Macro-averages of every system in every replicate, exactly, one sentence at a time."""
    rows = []
    for replicate in range(replicates):
        row = []
        for name in results.systems:
            scores = []
            for code in results.scopes[scope]:
                result = results.outcome(name, code)
                if result.status != "valid":
                    scores += [Fraction(0)] if policy == "zero" else []
                    continue
                values = result.counts.values[:, 0]
                times = multiplicities(5, code, len(values), replicate // BATCH)[replicate % BATCH]
                gold = system = correct = 0
                for unit, count in enumerate(times.astype(int).tolist()):
                    gold += count * int(values[unit, 0])
                    system += count * int(values[unit, 1])
                    correct += count * int(values[unit, 2])
                scores.append(Fraction(2 * correct, gold + system))
            row.append(sum(scores, Fraction(0)) / max(1, len(scores)))
        rows.append(row)
    return rows


@pytest.mark.parametrize("policy", ["zero", "exclude"])
def test_it_agrees_with_the_obvious_implementation(policy: Policy) -> None:
    results = random_campaign(3, missing=MISSING)
    replicates = 260
    fast = las(results, replicates, policy=policy)
    for number, scope in enumerate(fast.scopes):
        slow = obvious(results, scope, policy, replicates)
        values = np.array(slow, dtype=float)
        low, high = np.quantile(values, [0.025, 0.975], axis=0)
        assert fast.low[number, 0] == pytest.approx(low, abs=1e-12)
        assert fast.high[number, 0] == pytest.approx(high, abs=1e-12)
        for a in range(len(fast.systems)):
            for b in range(len(fast.systems)):
                assert fast.above[number, 0, a, b] == sum(row[a] > row[b] for row in slow)
            ranks = [sum(in_print(other) > in_print(row[a]) for other in row) for row in slow]
            counted = np.array([ranks.count(rank) for rank in range(len(fast.systems) + 1)])
            found = fast.rank_low[number, 0, a], fast.rank_high[number, 0, a]
            assert list(found) == rank_ranges_slowly(counted).tolist()


def test_scopes_are_all_the_groups_and_the_languages_with_several_sets() -> None:
    assert las(random_campaign(1)).scopes == ("all", "big", "pud", "small", "language:en")


def test_a_system_that_was_never_worse_and_sometimes_better_is_significantly_better() -> None:
    """A test that draws separately for each system hides this difference; the paired one must not."""
    source = np.random.default_rng(7)
    gold = source.integers(5, 30, 300)
    correct = source.binomial(gold, 0.7)
    better = np.minimum(gold, correct + (np.arange(300) % 25 == 0))
    rows = {
        name: list(zip(gold.tolist(), gold.tolist(), right.tolist(), strict=True))
        for name, right in (("plain", correct), ("better", better))
    }
    standings = compute_standings(campaign({name: {"he": file} for name, file in rows.items()}), Rules())
    p = standings.p("better", "plain", "LAS")
    assert p is not None and p < 0.01
    unpaired = []
    for name, code in (("better", "drawn for one"), ("plain", "drawn for the other")):
        counts = np.array(rows[name], dtype=float)
        sums = np.concatenate([multiplicities(1, code, 300, batch) for batch in range(4)]) @ counts
        unpaired.append(2 * sums[:, 2] / (sums[:, 0] + sums[:, 1]))
    assert (1 + np.sum(unpaired[0] <= unpaired[1])) / 1001 > 0.2


def test_identical_systems_are_not_different() -> None:
    results = random_campaign(2, systems=1)
    twins = Results(
        profile="conll17",
        sets=results.sets,
        systems={"one": results.systems["S0"], "two": results.systems["S0"]},
    )
    standings = compute_standings(twins, Rules())
    assert standings.p("one", "two", "LAS") == standings.p("two", "one", "LAS") == 1.0
    assert [place.rank for place in standings.ranking("LAS")] == [1, 1]
    assert [place.rank_range for place in standings.ranking("LAS")] == [(1, 1), (1, 1)]
    assert not any(place.line_below for place in standings.ranking("LAS"))


def test_the_same_scores_on_other_test_sets_tie_exactly() -> None:
    """One sentence a set, so that all replicates are the same; sums of floats would differ in a bit."""
    scores = [1, 2, 3, 7]
    results = campaign(
        {
            name: {f"set{place}": [(10, 10, scores[(place + shift) % 4])] for place in range(4)}
            for name, shift in (("one", 0), ("two", 1), ("three", 3))
        }
    )
    assert not las(results).above.any()


def test_p_values_of_both_directions_add_up_as_defined() -> None:
    results = random_campaign(8, sets={"a": 3, "b": 2})
    result = las(results, 400)
    standings = compute_standings(results, Rules(replicates=400, seed=5, test="one-sided"))
    two_sided = compute_standings(results, Rules(replicates=400, seed=5))
    for a, first in enumerate(result.systems):
        for b, second in enumerate(result.systems):
            if a == b:
                continue
            ties = 400 - result.above[0, 0, a, b] - result.above[0, 0, b, a]
            both = [standings.p(first, second, "LAS") or 0, standings.p(second, first, "LAS") or 0]
            assert sum(both) == pytest.approx((2 + 400 + ties) / 401, abs=1e-12)
            assert two_sided.p(first, second, "LAS") == min(1.0, 2 * min(both))


def test_a_set_of_one_sentence_has_an_interval_without_width() -> None:
    result = las(campaign({"only": {"kk": [(10, 10, 7)]}}))
    assert result.low[0, 0, 0] == result.high[0, 0, 0] == pytest.approx(0.7)


def test_two_sentences_give_the_three_possible_scores_in_their_proportions() -> None:
    """Of two sentences a replicate takes the good one twice in a quarter of the cases."""
    results = campaign(
        {"half": {"kk": [(10, 10, 10), (10, 10, 0)]}, "middle": {"kk": [(10, 10, 5), (10, 10, 5)]}}
    )
    result = las(results, 20_000)
    above, below = result.above[0, 0, 0, 1] / 20_000, result.above[0, 0, 1, 0] / 20_000
    # The standard error is 0.003.
    assert above == pytest.approx(0.25, abs=0.012)
    assert below == pytest.approx(0.25, abs=0.012)
    assert (result.low[0, 0, 0], result.high[0, 0, 0]) == (0.0, 1.0)


def test_the_width_is_that_of_the_normal_approximation() -> None:
    """Sentences of one word: correct words are a binomial, and with 2,000 of them nearly normal."""
    right = 1300
    results = campaign({"only": {"he": [(1, 1, int(number < right)) for number in range(2000)]}})
    result = las(results, 20_000)
    share = right / 2000
    half = 1.96 * sqrt(share * (1 - share) / 2000)
    assert result.high[0, 0, 0] - share == pytest.approx(half, rel=0.05)
    assert share - result.low[0, 0, 0] == pytest.approx(half, rel=0.05)


def test_the_macro_average_of_k_equal_sets_is_narrower_by_the_root_of_k() -> None:
    file = [(10, 10, 3), (10, 10, 9)] * 100
    result = las(campaign({"only": {"a": file}}), 5000)
    nine = las(campaign({"only": {f"set{number}": file for number in range(9)}}), 5000)
    width = float((result.high - result.low)[0, 0, 0])
    assert float((nine.high - nine.low)[0, 0, 0]) == pytest.approx(width / 3, rel=0.06)


def test_intervals_cover_the_truth_in_95_per_cent_of_the_cases() -> None:
    """2,000 samples of 200 sentences from a population in which 70% of the words are correct."""
    source = np.random.default_rng(95)
    covered = samples = 0
    for seed in range(40):
        systems = {}
        for number in range(50):
            # All systems of a campaign share a gold standard, so samples share their lengths.
            if not number:
                gold = source.integers(3, 40, 200)
            share = source.beta(7, 3, 200)
            correct = source.binomial(gold, share)
            systems[f"S{number:02}"] = {
                "he": list(zip(gold.tolist(), gold.tolist(), correct.tolist(), strict=True))
            }
        result = resample(campaign(systems), metrics=["LAS"], replicates=500, seed=seed)
        covered += int(((result.low[0, 0] <= 0.7) & (result.high[0, 0] >= 0.7)).sum())
        samples += 50
    assert 0.93 <= covered / samples <= 0.97


def test_another_system_changes_nobodys_interval() -> None:
    results = random_campaign(4, systems=6, missing=MISSING)
    alone = las(results.subset(systems=["S2"]))
    together = las(results)
    assert (alone.low[:, :, 0] == together.low[:, :, 2]).all()
    assert (alone.high[:, :, 0] == together.high[:, :, 2]).all()


def test_the_order_of_systems_and_test_sets_changes_nothing() -> None:
    results = random_campaign(4, missing=MISSING)
    turned = Results(
        profile="conll17",
        sets=tuple(reversed(results.sets)),
        systems={name: dict(reversed(files.items())) for name, files in reversed(results.systems.items())},
    )
    assert_same(las(results), las(turned))


def test_other_metrics_and_other_test_sets_change_nothing() -> None:
    results = random_campaign(4, missing=MISSING)
    result, many = las(results), resample(results, metrics=results.metrics, replicates=1000, seed=5)
    place = many.metrics.index("LAS")
    assert (result.low[:, 0] == many.low[:, place]).all()
    assert (result.above[:, 0] == many.above[:, place]).all()
    small = las(results.subset(codes=["kk", "ug", "en_a"]))
    assert (
        small.low[small.scopes.index("small")].tolist() == result.low[result.scopes.index("small")].tolist()
    )


def test_any_number_of_processes_gives_the_same_bits() -> None:
    results = random_campaign(4, missing=MISSING)
    here = las(results, 1100)
    assert_same(here, las(results, 1100, jobs=2))
    assert_same(here, las(results, 1100, jobs=3))


def test_another_seed_gives_other_draws() -> None:
    results = random_campaign(4)
    other = resample(results, metrics=["LAS"], replicates=1000, seed=6)
    assert not np.array_equal(las(results).low, other.low)


def test_figures_are_the_same_on_every_machine() -> None:
    """These were computed once; a machine or a version of numpy that gives others is a bug."""
    results = campaign(
        {
            name: {
                code: [(7 + unit % 5, 7 + unit % 3, (unit * factor) % 7) for unit in range(size)]
                for code, size in (("he", 40), ("kk", 31), ("zh", 7))
            }
            for name, factor in (("Ash", 3), ("Elm", 4))
        }
    )
    result = las(results)
    assert [value.hex() for value in result.low[0, 0].tolist()] == GOLDEN[0]
    assert [value.hex() for value in result.high[0, 0].tolist()] == GOLDEN[1]
    assert result.above[0, 0].tolist() == GOLDEN[2]


def test_large_counts_are_still_summed_exactly() -> None:
    """Beyond 2^24 single precision would lose units."""
    words = 9_000_001
    results = campaign({"only": {"a": [(words, words, words - 2)] * 3}})
    result = las(results)
    exact = Fraction(words - 2, words)
    assert result.low[0, 0, 0] == result.high[0, 0, 0]
    assert abs(Fraction(result.low[0, 0, 0].item()) - exact) < Fraction(1, 10**14)


def test_systems_scored_against_different_gold_files_are_refused() -> None:
    results = campaign({"one": {"he": [(10, 10, 5)]}, "two": {"he": [(11, 11, 5)]}})
    with pytest.raises(ValueError, match="different gold files on he; see two"):
        las(results)


def test_a_set_for_which_nobody_has_a_valid_file_stays_zero() -> None:
    results = campaign(
        {"one": {"he": [(10, 10, 5)], "kk": "empty"}, "two": {"he": [(10, 10, 4)], "kk": None}}
    )
    result = las(results)
    assert result.high[0, 0].tolist() == pytest.approx([0.25, 0.2])


def test_systems_without_a_single_valid_file_are_all_zero() -> None:
    result = las(campaign({"one": {"he": "empty"}, "two": {"he": None, "kk": None}}))
    assert not result.low.any() and not result.high.any() and not result.above.any()


def test_without_replicates_there_is_nothing_to_resample() -> None:
    with pytest.raises(ValueError, match="replicates must be at least 1"):
        las(random_campaign(1), 0)
    assert compute_standings(random_campaign(1), Rules(replicates=0)).ranking("LAS")[0].low is None


@pytest.mark.parametrize("replicates", [1, 2, 3, 39, 41, 251, 2503])
def test_intervals_are_those_of_numpy_for_any_number_of_replicates(replicates: int) -> None:
    results = campaign({"only": {"a": [(5, 5, number % 6) for number in range(31)]}})
    result = las(results, replicates)
    batches = range((replicates + BATCH - 1) // BATCH)
    drawn = np.concatenate([multiplicities(5, "a", 31, batch) for batch in batches])[:replicates]
    scores = drawn @ (np.arange(31) % 6) / (31 * 5)
    assert result.low[0, 0, 0] == pytest.approx(np.quantile(scores, 0.025), abs=1e-12)
    assert result.high[0, 0, 0] == pytest.approx(np.quantile(scores, 0.975), abs=1e-12)


def assert_same(result: BootstrapResult, other: BootstrapResult) -> None:
    assert (result.scopes, result.metrics, result.systems) == (other.scopes, other.metrics, other.systems)
    for name in ("low", "high", "above", "next_above", "rank_low", "rank_high"):
        assert np.array_equal(getattr(result, name), getattr(other, name))
