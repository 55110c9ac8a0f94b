"""Breakdowns: every word in one group on its own side, integers that add up."""

import json
import random

import pytest

import evaluation
from evaluation.scoring.breakdown import OTHERS, Breakdowns, break_down
from evaluation.scoring.compare import Comparison
from evaluation.scoring.counts import tallies
from evaluation.scoring.groups import METRICS, Breakdown, Correct, Group
from tests.evaluation.drawing import draw_pair
from tests.evaluation.small_files import comparison, conllu

GOLD = """
1 Kim PROPN 2 nsubj
2 sees VERB 0 root
3 the DET 4 det
4 rain NOUN 2 obj:x
5 . PUNCT 2 punct
"""
# The article hangs on the verb, Kim has another tag, the rain another relation, the stop both wrong.
SYSTEM = """
1 Kim NOUN 2 nsubj
2 sees VERB 0 root
3 the DET 2 det
4 rain NOUN 2 obl
5 . PUNCT 4 discourse
"""
DIVISIONS = ("relation", "subtype", "upos", "length", "direction", "signed_length", "sentence_length")


def _group(label: str, gold: int, system: int, **correct: tuple[int, int]) -> Group:
    return Group(label, gold, system, gold, {m: Correct(*correct.get(m, (0, 0))) for m in METRICS})


@pytest.fixture
def found() -> Breakdowns:
    return break_down(comparison(GOLD, SYSTEM))


def test_a_wrong_relation_counts_under_the_relation_of_each_side(
    found: Breakdowns,
) -> None:
    assert found.relation["obj"] == _group("obj", 1, 0, UAS=(1, 0))
    assert found.relation["obl"] == _group("obl", 0, 1, UAS=(0, 1))
    assert found.relation["det"] == _group("det", 1, 1, LA=(1, 1))
    assert found.relation["nsubj"] == _group("nsubj", 1, 1, UAS=(1, 1), LAS=(1, 1), LA=(1, 1))


def test_a_wrong_tag_does_not_lose_the_correct_arc(found: Breakdowns) -> None:
    noun, name = found.upos["NOUN"], found.upos["PROPN"]
    assert (noun.gold, noun.system, noun.correct["LAS"]) == (1, 2, Correct(0, 1))
    assert (name.gold, name.system, name.correct["LAS"]) == (1, 0, Correct(1, 0))
    assert (noun.precision("LAS"), noun.recall("LAS"), noun.f1("LAS")) == (0.5, 0.0, 0.0)


def test_lengths_and_directions_are_those_of_each_side(found: Breakdowns) -> None:
    def totals(breakdown: Breakdown) -> dict[str, tuple[int, int]]:
        return {group.label: (group.gold, group.system) for group in breakdown.groups}

    assert totals(found.length) == {"root": (1, 1), "1": (2, 3), "2": (1, 1), "3–6": (1, 0), "7+": (0, 0)}
    assert totals(found.direction) == {"head before": (2, 3), "root": (1, 1), "head after": (2, 1)}
    assert totals(found.signed_length) == {
        "7+ before": (0, 0),
        "3–6 before": (1, 0),
        "2 before": (1, 1),
        "1 before": (0, 2),
        "root": (1, 1),
        "1 after": (2, 1),
        "2 after": (0, 0),
        "3–6 after": (0, 0),
        "7+ after": (0, 0),
    }


def test_a_long_dependency_is_in_the_last_bin_from_seven_words_on() -> None:
    lines = ["1 a X 0 root", *(f"{n} w X 1 dep" for n in range(2, 9))]
    found = break_down(comparison("\n".join(lines), "\n".join(lines)))
    assert (found.signed_length["7+ before"].gold, found.signed_length["3–6 before"].gold) == (1, 4)


def test_subtypes_are_compared_whole_in_their_own_breakdown() -> None:
    found = break_down(comparison("1 a X 0 root\n2 b X 1 obj:x", "1 a X 0 root\n2 b X 1 obj:y"))
    assert found.relation["obj"].f1("LAS") == 1.0
    assert found.subtype["obj:x"].recall("LAS") == 0.0
    assert found.subtype["obj:x"].recall("UAS") == 1.0


def test_confusions_are_listed_the_most_frequent_first(found: Breakdowns) -> None:
    both = found + found + break_down(comparison("1 a X 0 root\n2 b X 1 obj", "1 a X 0 root\n2 b X 1 iobj"))
    assert both.confusion.confusions() == [("obj", "obl", 2), ("punct", "discourse", 2), ("obj", "iobj", 1)]


def test_a_system_word_counts_in_the_gold_sentence_where_its_token_begins() -> None:
    gold = "1 a X 0 root\n\n" + "\n".join(f"{n} b X {n - 1} dep" for n in range(1, 8)).replace(
        " 0 dep", " 0 root"
    )
    system = "1 a X 0 root\n" + "\n".join(f"{n} b X 1 dep" for n in range(2, 9))
    found = break_down(comparison(gold, system)).sentence_length
    assert (found["1–5"].gold, found["1–5"].system) == (1, 1)
    assert (found["6–10"].gold, found["6–10"].system) == (7, 7)


def _check_sums(compared: Comparison) -> None:
    metrics = tallies(compared)
    found = break_down(compared)
    for name in DIVISIONS:
        groups = getattr(found, name).groups
        assert sum(group.gold for group in groups) == metrics["UAS"].gold
        assert sum(group.system for group in groups) == metrics["UAS"].system
        assert sum(group.aligned for group in groups) == metrics["UAS"].aligned
        for metric in METRICS if name != "subtype" else ("UAS",):
            assert sum(group.correct[metric].by_gold for group in groups) == metrics[metric].correct
            assert sum(group.correct[metric].by_system for group in groups) == metrics[metric].correct
    assert sum(found.confusion.counts.values()) == metrics["UAS"].aligned


@pytest.mark.parametrize("punctuation", ["all", "relation", "form"])
@pytest.mark.parametrize("seed", range(60))
def test_groups_add_up_to_the_counts_of_the_file(seed: int, punctuation: str) -> None:
    gold, system = draw_pair(random.Random(seed).randrange)
    options = evaluation.Options(label_accuracy=True, punctuation=punctuation)  # type: ignore[arg-type]
    _check_sums(evaluation.compare(gold, system, options=options))


def test_two_files_add_up_to_one_that_holds_both(found: Breakdowns) -> None:
    gold, system = "1 b X 2 det\n2 a NOUN 0 root", "1 b X 0 root\n2 a X 1 det"
    other = break_down(comparison(gold, system))
    together = break_down(comparison(f"{GOLD.strip()}\n\n{gold}", f"{SYSTEM.strip()}\n\n{system}"))
    assert found + other == together
    assert other + found == together


def test_breakdowns_survive_json(found: Breakdowns) -> None:
    assert Breakdowns.from_dict(json.loads(json.dumps(found.as_dict()))) == found


def test_a_relation_for_every_word_is_gathered_into_few_groups() -> None:
    gold = "\n".join(["1 w X 0 root", *(f"{n} w X 1 dep" for n in range(2, 3001))])
    system = "\n".join(["1 w X 0 root", *(f"{n} w X 1 r{n}" for n in range(2, 3001))])
    compared = evaluation.compare(
        conllu(gold), conllu(system), options=evaluation.Options(label_accuracy=True)
    )
    found = break_down(compared)
    assert len(found.relation.groups) < 500
    assert found.relation[OTHERS].system > 2000
    _check_sums(compared)
