"""Rankings, pairs, combined runs, analyses and signatures of small campaigns."""

import re

import pytest

from evaluation.ranking.analyses import (
    decisive_sets,
    kendall_tau,
    leave_one_out,
    metric_agreement,
    win_record,
)
from evaluation.ranking.combine import combine
from evaluation.ranking.places import places_of
from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.ranking.standings import Rules, compute_standings
from evaluation.scoring.compare import Options
from evaluation.signature import campaign_signature
from tests.evaluation.toy import Sentences, campaign, outcome, random_campaign


def share(correct: int, sentences: int = 60) -> Sentences:
    """A file in which a number of words in every hundred are correct, the same in every sentence."""
    return [(100, 100, correct)] * sentences


def test_a_missing_file_counts_as_zero_or_is_left_out() -> None:
    results = campaign(
        {"whole": {"he": share(50), "kk": share(30)}, "half": {"he": share(60), "kk": None}},
    )
    zero, exclude = compute_standings(results, Rules()), compute_standings(results, Rules(missing="exclude"))
    assert [(place.system, round(place.f1, 9)) for place in zero.ranking("LAS")] == [
        ("whole", 0.4),
        ("half", 0.3),
    ]
    assert [(place.system, round(place.f1, 9)) for place in exclude.ranking("LAS")] == [
        ("half", 0.6),
        ("whole", 0.4),
    ]
    assert exclude.ranking("LAS")[0].low == pytest.approx(0.6)
    assert zero.ranking("LAS")[1].high == pytest.approx(0.3)


def test_lines_separate_neighbours_that_differ_significantly() -> None:
    """Ash and Elm win and lose sentences in turn; both are far above Oak."""
    ash = [(10, 10, 7 + number % 2) for number in range(50)]
    elm = [(10, 10, 8 - number % 2) for number in range(50)]
    results = campaign({"Ash": {"he": ash}, "Elm": {"he": elm}, "Oak": {"he": [(10, 10, 3)] * 50}})
    standings = compute_standings(results, Rules())
    places = standings.ranking("LAS")
    assert [(place.system, place.rank, place.line_below) for place in places] == [
        ("Ash", 1, False),
        ("Elm", 1, True),
        ("Oak", 3, False),
    ]
    assert [place.rank_range for place in places] == [(1, 2), (1, 2), (3, 3)]


def test_unranked_baselines_have_no_rank_range_and_affect_no_rank() -> None:
    results = campaign(
        {name: {"he": share(correct)} for name, correct in (("Ash", 90), ("base", 80), ("Elm", 70))}
    )
    numbered = compute_standings(results, Rules(baselines=frozenset({"base"})))
    unnumbered = compute_standings(results, Rules(baselines=frozenset({"base"}), number_baselines=False))
    assert [(p.rank, p.rank_range, p.baseline) for p in numbered.ranking("LAS")] == [
        (1, (1, 1), False),
        (2, (2, 2), True),
        (3, (3, 3), False),
    ]
    assert [(p.rank, p.rank_range) for p in unnumbered.ranking("LAS")] == [
        (1, (1, 1)),
        (None, None),
        (2, (2, 2)),
    ]


def test_every_pair_is_tested_once_in_the_direction_of_its_difference() -> None:
    standings = compute_standings(random_campaign(1, systems=5), Rules(replicates=500))
    pairs = standings.pairs("LAS")
    assert len(pairs) == 10
    assert all(pair.difference >= 0 for pair in pairs)
    assert all(pair.p_holm is not None and pair.p_holm >= pair.p and not pair.reason for pair in pairs)


def test_with_too_few_replicates_there_is_a_reason_instead_of_holms_p() -> None:
    pairs = compute_standings(random_campaign(1, systems=5), Rules(replicates=399)).pairs("LAS")
    assert {pair.p_holm for pair in pairs} == {None}
    assert "at least 400 replicates" in pairs[0].reason
    rules = Rules(replicates=199, test="one-sided")
    assert (
        "at least 200 replicates"
        in compute_standings(random_campaign(1, systems=5), rules).pairs("LAS")[0].reason
    )


def test_a_test_set_of_too_few_sentences_has_neither_interval_nor_p_of_its_own() -> None:
    """One sentence would give the same order in every replicate: p = 0.001 and a line."""
    files = {"Ash": {"kk": [(10, 10, 9)]}, "Elm": {"kk": [(10, 10, 4)]}}
    standings = compute_standings(campaign(files), Rules())
    for place in standings.ranking("LAS"):
        assert (place.low, place.high, place.rank_range, place.line_below) == (None, None, None, False)
    (pair,) = standings.pairs("LAS")
    assert (pair.p, pair.p_holm) == (None, None) and "fewer than 20" in pair.reason
    enough = {name: {"kk": rows["kk"] * 20} for name, rows in files.items()}
    assert compute_standings(campaign(enough), Rules()).ranking("LAS")[0].line_below
    almost = {name: {"kk": rows["kk"] * 19} for name, rows in files.items()}
    assert not compute_standings(campaign(almost), Rules()).ranking("LAS")[0].line_below
    # It counts in averages all the same, and these have an interval.
    both = {name: {"kk": rows["kk"], "zh": rows["kk"]} for name, rows in files.items()}
    assert compute_standings(campaign(both), Rules()).ranking("LAS")[0].low is not None


def test_systems_that_share_a_rank_have_no_line_and_equal_ranges() -> None:
    """Ash is above Elm in every replicate, by a third of what is printed."""
    words = 1_000_000
    files = {
        name: {"he": [(words, words, correct)] * 30}
        for name, correct in (("Ash", 700_020), ("Elm", 700_000), ("Oak", 600_000))
    }
    standings = compute_standings(campaign(files), Rules())
    places = standings.ranking("LAS")
    assert [(place.rank, place.rank_range) for place in places] == [(1, (1, 1)), (1, (1, 1)), (3, (3, 3))]
    assert [place.line_below for place in places] == [False, True, False]
    # What sites store and show.
    stored, las = places_of(standings), standings.results.metrics.index("LAS")
    assert stored.systems == ("Ash", "Elm", "Oak")
    assert stored.line_below[:, las].tolist() == [False, True, False]
    assert stored.rank_low[:, las].tolist() == stored.rank_high[:, las].tolist() == [1, 1, 3]
    assert standings.p("Ash", "Elm", "LAS") == pytest.approx(2 / 1001), "the difference itself is tested"


def test_one_system_alone_is_first_and_has_no_pairs() -> None:
    standings = compute_standings(random_campaign(1, systems=1), Rules())
    (place,) = standings.ranking("LAS")
    assert (place.rank, place.rank_range, place.line_below) == (1, (1, 1), False)
    assert standings.pairs("LAS") == []


def test_a_metric_that_was_not_resampled_still_has_averages_and_ranks() -> None:
    standings = compute_standings(random_campaign(1), Rules(), metrics=["LAS"])
    assert [place.rank for place in standings.ranking("UAS")] == [1, 2, 3, 4]
    assert standings.ranking("UAS")[0].low is None
    assert standings.pairs("UAS") == []


def test_a_baseline_that_is_not_a_system_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown system nobody"):
        compute_standings(random_campaign(1), Rules(baselines=frozenset({"nobody"})))


def test_files_of_unknown_test_sets_are_refused() -> None:
    with pytest.raises(ValueError, match="Ash has files for unknown test sets: kk"):
        Results(profile="conll17", sets=(GoldSet(code="he"),), systems={"Ash": {"kk": outcome(None)}})


@pytest.mark.parametrize("name", ["all", "", "language:en"])
def test_groups_cannot_have_reserved_names(name: str) -> None:
    with pytest.raises(ValueError, match="reserved"):
        GoldSet(code="he", groups=(name,))


def test_the_first_valid_file_of_each_test_set_counts() -> None:
    good, other = outcome(share(50)), outcome(share(90))
    broken, missing = outcome("line 3: a cycle"), outcome(None)
    combined = combine(
        [
            ("first", {"he": good, "kk": broken, "zh": missing, "vi": broken}),
            ("second", {"he": other, "kk": other, "vi": outcome("line 9: not UTF-8")}),
        ]
    )
    assert {code: (item.status, item.run) for code, item in combined.items()} == {
        "he": ("valid", "first"),
        "kk": ("valid", "second"),
        "vi": ("invalid", "first"),
    }
    assert combined["he"].figures({})["LAS"] == 0.5
    assert combined["vi"].message == "line 3: a cycle"


def test_wins_ties_and_losses_are_counted_in_print() -> None:
    results = campaign(
        {
            "Ash": {
                "a": share(50),
                "b": share(50),
                "c": share(50),
                "d": [(10**6, 10**6, 500_001)],
                "e": None,
            },
            "Elm": {
                "a": share(40),
                "b": share(50),
                "c": share(60),
                "d": [(10**6, 10**6, 500_000)],
                "e": share(1),
            },
        }
    )
    result = win_record(results, "Ash", "Elm", "LAS")
    assert (result.wins, result.ties, result.losses) == (1, 2, 2)


def test_leaving_out_a_test_set_shows_whether_it_decides() -> None:
    """Ash is ahead by 10, 1 and −5: without the first it would be behind."""
    results = campaign(
        {
            "Ash": {"a": share(60), "b": share(51), "c": share(45)},
            "Elm": {"a": share(50), "b": share(50), "c": share(50)},
        }
    )
    result = leave_one_out(results, "Ash", "Elm", "LAS")
    assert [(item.code, round(item.difference, 9), item.decides) for item in result] == [
        ("a", -0.02, True),
        ("c", 0.055, False),
        ("b", 0.025, False),
    ]
    assert decisive_sets(results, "Ash", "Elm", "LAS") == ["a"]
    assert decisive_sets(results.subset(codes=["a"]), "Ash", "Elm", "LAS") == []


def test_leaving_out_is_the_average_over_the_others_under_either_policy() -> None:
    results = random_campaign(6, missing=[(1, "ug"), (0, "kk")])
    for policy in ("zero", "exclude"):
        for item in leave_one_out(results, "S1", "S0", "LAS", policy=policy):
            others = results.subset(codes=[code for code in results.codes if code != item.code])
            averages = compute_standings(others, Rules(missing=policy, replicates=0)).averages("LAS")
            assert item.difference == pytest.approx(averages["S1"] - averages["S0"], abs=1e-12)


def test_kendalls_tau_by_hand() -> None:
    """Ten pairs of five systems; of the nine that the left one distinguishes, six agree and three do not."""
    left = {"a": 0.5, "b": 0.4, "c": 0.4, "d": 0.2, "e": 0.1}
    right = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.75, "e": 0.76}
    # Concordant: ab ac ad ae bd be; discordant: cd ce de; bc is tied on the left.
    assert kendall_tau(left, right) == pytest.approx((6 - 3) / (9 * 10) ** 0.5)
    assert kendall_tau(left, left) == pytest.approx(1.0)
    assert kendall_tau({"a": 0.1, "b": 0.2}, {"a": 0.2, "b": 0.1}) == -1.0
    assert kendall_tau({"a": 0.1, "b": 0.1}, {"a": 0.2, "b": 0.1}) is None


def test_rankings_by_equal_scores_agree() -> None:
    standings = compute_standings(random_campaign(1), Rules(replicates=0))
    assert metric_agreement(standings, ["LAS", "UAS"])["LAS"] == {"LAS": 1.0, "UAS": 1.0}


def signature(**changes: object) -> str:
    usual: dict[str, object] = {
        "profile": "conll17",
        "options": Options(),
        "metric": "LAS",
        "gold": {"he": "ab" * 32, "kk": "cd" * 32},
        "scopes": {"all": ("he", "kk")},
        "missing": "zero",
        "unit": "sentence",
        "replicates": 1000,
        "seed": 1,
        "test": "two-sided",
        "baselines": "numbered",
        "runs": "single",
    }
    return campaign_signature(**{**usual, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"profile": "conll18"},
        {"options": Options(punctuation="form")},
        {"options": Options(subtypes=True)},
        {"metric": "CLAS"},
        {"gold": {"he": "ab" * 32, "kk": "ce" * 32}},
        {"gold": {"he": "ab" * 32, "kz": "cd" * 32}},
        {"scopes": {"all": ("he", "kk"), "big": ("he",)}},
        {"missing": "exclude"},
        {"unit": "document"},
        {"replicates": 20_000},
        {"seed": 2},
        {"test": "one-sided"},
        {"baselines": "unnumbered"},
        {"runs": "first-valid"},
    ],
)
def test_whatever_changes_a_figure_changes_the_signature(change: dict[str, object]) -> None:
    assert signature(**change) != signature()


def test_a_signature_does_not_depend_on_the_order_of_test_sets() -> None:
    assert signature(gold={"kk": "cd" * 32, "he": "ab" * 32}) == signature()


def test_gold_that_is_not_released_is_shown_under_a_key_only() -> None:
    """Whoever has the gold file but not the key cannot tell that it is the one."""
    released, sealed = signature(), signature(key=b"the server's")
    mark = re.search(r"gold:([^|]+)", released)
    assert mark and mark[1] not in sealed
    assert "gold:hmac-" in sealed
    assert sealed == signature(key=b"the server's")
    assert sealed != signature(key=b"another")
    standings = compute_standings(random_campaign(1), Rules(replicates=0))
    assert "gold:hmac-" in standings.signature("LAS", key=b"x")


def test_outcomes_that_are_not_valid_have_no_counts() -> None:
    with pytest.raises(ValueError, match="missing has no counts"):
        _ = Outcome(status="missing").counts
    assert Outcome(status="invalid").figures({}) == {}
