"""Standings by metrics of any kind: lower is better, other digits, tables, and other ways of averaging."""

from __future__ import annotations

import random
from dataclasses import replace
from math import isnan

import numpy as np
import pytest

import evaluation
from evaluation.ranking.aggregate import macro_average
from evaluation.ranking.analyses import Record, leave_one_out, metric_agreement, win_record
from evaluation.ranking.averaging import average, average_of_counts
from evaluation.ranking.bootstrap import resample
from evaluation.ranking.details import SET, Details, build_details
from evaluation.ranking.document import build_document
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.philox import multiplicities
from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.ranking.standings import Rules, compute_standings
from evaluation.ranking.tables import all_tables
from evaluation.scoring import clusterings
from evaluation.scoring.profiles import conll
from tests.evaluation.forests import Word, draw_sentences, nine_columns, redraw
from tests.evaluation.toy import campaign, random_campaign

RULES = Rules(missing="exclude", replicates=200, seed=3)


def induction(missing: tuple[tuple[str, str], ...] = ()) -> Results:
    """Three systems on two test sets: their classes are the tags, the tags with errors, or noise."""
    outcomes: dict[str, dict[str, Outcome]] = {"Good": {}, "Fair": {}, "Noise": {}}
    for code in ("aa", "bb"):
        source = random.Random(code)
        gold = draw_sentences(source, 40)
        for name, errors in (("Good", 0.05), ("Fair", 0.4), ("Noise", 1.0)):
            system = [
                [
                    replace_tag(word, source.choice("xyz") if source.random() < errors else word.tag)
                    for word in sentence
                ]
                for sentence in redraw_like(source, gold)
            ]
            comparison = evaluation.compare(nine_columns(gold), nine_columns(system), "pascal12")
            if (name, code) not in missing:
                outcomes[name][code] = Outcome.from_counts(evaluation.counts_by_unit(comparison))
    return Results(
        profile="pascal12", sets=tuple(GoldSet(code=code) for code in ("aa", "bb")), systems=outcomes
    )


def replace_tag(word: Word, tag: str) -> Word:
    return Word(word.form, tag, word.fine, word.head, word.relation)


def redraw_like(source: random.Random, gold: list[list[Word]]) -> list[list[Word]]:
    """Other trees, gold's tags."""
    return [
        [replace_tag(b, a.tag) for a, b in zip(g, s, strict=True)]
        for g, s in zip(gold, redraw(source, gold), strict=True)
    ]


@pytest.fixture(scope="module")
def results() -> Results:
    return induction()


def test_the_lowest_figure_ranks_first_and_ranges_and_p_agree(results: Results) -> None:
    standings = compute_standings(results, RULES, metrics=["VI", "VM"])
    for metric in ("VI", "VM"):
        places = standings.ranking(metric)
        assert [place.system for place in places] == ["Good", "Fair", "Noise"]
        assert [place.rank for place in places] == [1, 2, 3]
        assert [place.rank_range for place in places] == [(1, 1), (2, 2), (3, 3)]
        assert all(place.line_below for place in places[:2])
        assert standings.p("Good", "Noise", metric) == pytest.approx(2 / 201)
        one_sided = compute_standings(results, replace(RULES, test="one-sided"), metrics=[metric])
        assert one_sided.p("Good", "Noise", metric) == pytest.approx(1 / 201)
        assert one_sided.p("Noise", "Good", metric) == 1.0
    bits = [place.f1 for place in standings.ranking("VI")]
    assert bits == sorted(bits)
    assert all(place.low < place.high for place in standings.ranking("VI"))  # type: ignore[operator]


def test_comparisons_know_which_direction_is_better(results: Results) -> None:
    standings = compute_standings(results, RULES, metrics=["VI"])
    record = win_record(results, "Good", "Noise", "VI")
    assert (record.wins, record.ties, record.losses) == (2, 0, 0)
    assert [pair.difference < 0 for pair in standings.pairs("VI")] == [True, True, True]
    assert not any(without.decides for without in leave_one_out(results, "Good", "Noise", "VI"))
    assert metric_agreement(standings, ["VI", "VM"])["VI"]["VM"] == 1.0


def test_a_missing_file_is_no_reward_where_lower_is_better() -> None:
    results = induction(missing=(("Good", "aa"), ("Good", "bb"), ("Fair", "bb")))
    for policy in ("zero", "exclude"):
        standings = compute_standings(results, replace(RULES, missing=policy), metrics=["VI", "VM"])
        bits = standings.averages("VI")
        assert isnan(bits["Good"]) and bits["Fair"] == results.figures("Fair", "aa")["VI"]
        assert [place.system for place in standings.ranking("VI")] == ["Fair", "Noise", "Good"]
        assert standings.interval("Good", "VI") is None
        assert standings.p("Noise", "Good", "VI") == pytest.approx(2 / 201)
        assert standings.averaged_files("Fair", "VI") == 1
        record = win_record(results, "Noise", "Good", "VI", policy=policy)
        assert record == Record(0, 0, 0, not_compared=("aa", "bb"))
    document = build_document(compute_standings(results, RULES, metrics=["VI"]), ["VI"])
    by_name = {system["name"]: system["macro"]["all"]["VI"] for system in document["systems"]}
    assert by_name["Good"]["f1"] is None and by_name["Fair"]["files"] == 1


def test_tables_print_the_digits_and_the_direction_of_each_metric(results: Results) -> None:
    standings = compute_standings(results, RULES)
    tables = {table.name: table for table in all_tables(standings, ["VI", "Directed"])}
    ranking = tables["ranking-vi"]
    assert "VI in bits" in ranking.caption and "Lower is better." in ranking.caption
    best = standings.averages("VI")["Good"]
    assert ranking.rows[0][1:3] == ("Good", f"{best:.2f}")
    sets = tables["test-sets"]
    assert {row[3] for row in sets.rows} == {"Good"}
    assert (
        tables["ranking-directed"].rows[0][2] == f"{100 * max(standings.averages('Directed').values()):.2f}"
    )


def test_figures_of_standings_survive_storage(results: Results) -> None:
    standings = compute_standings(results, RULES)
    pairs: dict[str, Pairs] = {}
    details = build_details(standings, ["VI", "Directed"], keep=pairs.__setitem__)
    again = Details.from_bytes(details.to_bytes())
    assert again.systems == ("Good", "Fair", "Noise")
    column = again.metrics.index("VI")
    assert again.rank[:, 0, column].tolist() == [1, 2, 3]
    # The interval of a difference is below zero where the first system is better.
    interval = pairs[SET + again.codes[0]].interval_of("VI", "Good", "Noise")
    assert interval is not None and interval[1] < 0


@pytest.mark.parametrize(
    ("metric", "rule"),
    [
        ("M-1", clusterings.many_to_one),
        ("1-1", clusterings.one_to_one),
        ("VM", clusterings.v_measure),
        ("VI", clusterings.variation_of_information),
    ],
)
def test_replicates_are_those_of_the_obvious_loop(results: Results, metric: str, rule: object) -> None:
    """Every replicate is drawn sentence by sentence, and its table is scored alone."""
    replicates, names = 30, list(results.systems)
    averages = np.zeros((len(names), replicates))
    for code in results.codes:
        for row, name in enumerate(names):
            tables = results.outcome(name, code).counts.tables["universal"].by_unit()
            for b, drawn in enumerate(multiplicities(3, code, len(tables), 0, replicates)):
                total = sum(int(times) * tables[unit] for unit, times in enumerate(drawn) if times)
                averages[row, b] += float(rule(np.asarray(total, dtype=float))) / 2  # type: ignore[operator]
    bootstrap = resample(results, metrics=[metric], replicates=replicates, seed=3, policy="exclude")
    low, high = np.percentile(averages, [2.5, 97.5], axis=1)
    assert bootstrap.low[0, 0] == pytest.approx(low, abs=1e-9)
    assert bootstrap.high[0, 0] == pytest.approx(high, abs=1e-9)
    sign = -1 if metric == "VI" else 1
    above = (sign * averages[:, None] > sign * averages[None, :]).sum(axis=2)
    assert np.array_equal(bootstrap.above[0, 0], above)


def averaged_as(monkeypatch: pytest.MonkeyPatch, results: Results, averaging: str) -> Results:
    profile = replace(conll.CONLL17, averaging=averaging)
    monkeypatch.setitem(evaluation.PROFILES._own, "conll17", profile)
    return replace(results)


def test_precision_and_recall_can_be_averaged_first(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a": [(10, 20, 10)], "b": [(10, 10, 5)]}
    results = averaged_as(monkeypatch, campaign({"Oak": files, "Elm": {"a": files["a"]}}), "precision-recall")
    precision, recall = (0.5 + 0.5) / 2, (1 + 0.5) / 2
    assert average(results, "Oak", "LAS", results.codes, "zero") == pytest.approx(
        2 * precision * recall / (precision + recall)
    )
    assert average(results, "Elm", "LAS", results.codes, "zero") == pytest.approx(2 * 0.25 * 0.5 / 0.75)
    assert average(results, "Elm", "LAS", results.codes, "exclude") == pytest.approx(2 / 3)


def test_micro_averages_count_the_gold_words_of_missing_files(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a": [(10, 20, 10)], "b": [(30, 30, 15)]}
    results = averaged_as(monkeypatch, campaign({"Oak": files, "Elm": {"a": files["a"]}}), "micro")
    assert average(results, "Oak", "LAS", results.codes, "zero") == 2 * 25 / 90
    assert average(results, "Elm", "LAS", results.codes, "zero") == 2 * 10 / 60
    assert average(results, "Elm", "LAS", results.codes, "exclude") == 2 * 10 / 30


@pytest.mark.parametrize("averaging", ["figures", "precision-recall", "micro"])
@pytest.mark.parametrize("policy", ["zero", "exclude"])
def test_replicates_are_averaged_like_the_figures(
    monkeypatch: pytest.MonkeyPatch, averaging: str, policy: str
) -> None:
    """A campaign whose test sets have one unit each: every replicate is the campaign itself."""
    campaign_of_one = random_campaign(5, sets={"aa": 1, "bb": 1, "cc": 1}, missing=[(0, "aa"), (2, "cc")])
    results = averaged_as(monkeypatch, campaign_of_one, averaging)
    standings = compute_standings(results, Rules(missing=policy, replicates=5), metrics=["LAS"])  # type: ignore[arg-type]
    for name, figure in standings.averages("LAS").items():
        assert standings.interval(name, "LAS") == pytest.approx((figure, figure), abs=1e-12)


def test_without_files_there_is_no_average_of_a_metric_where_lower_is_better() -> None:
    bits = evaluation.PROFILES["pascal12"].presentations["VI"]
    assert isnan(macro_average({"a": None}, "zero", bits))
    assert bits.text(macro_average({"a": None}, "zero", bits)) == "–"
    assert macro_average({"a": None, "b": 2.0}, "zero", bits) == 2.0


def test_without_files_there_is_no_average_where_missing_files_are_excluded() -> None:
    for averaging in ("micro", "precision-recall"):
        assert isnan(average_of_counts({"a": None}, averaging, "exclude", lambda code: 3))
        assert average_of_counts({"a": None}, averaging, "zero", lambda code: 3) == 0.0
    assert isnan(macro_average({"a": None}, "exclude"))
    assert macro_average({"a": None}, "zero") == 0.0


def test_a_system_without_files_is_last_and_has_no_figure_where_missing_files_are_excluded() -> None:
    results = random_campaign(5, sets={"aa": 3, "bb": 3}, missing=[(0, "aa"), (0, "bb")])
    standings = compute_standings(results, Rules(missing="exclude", replicates=20), metrics=["LAS"])
    *others, last = standings.ranking("LAS")
    assert isnan(standings.averages("LAS")[last.system])
    assert not any(isnan(standings.averages("LAS")[row.system]) for row in others)
    assert standings.interval(last.system, "LAS") is None
