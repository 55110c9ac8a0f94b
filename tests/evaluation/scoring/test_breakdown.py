"""Breakdowns: every word in one group on its own side, integers that add up."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

import evaluation
from evaluation import PROFILES, InvalidFile
from evaluation.scoring.breakdown import OTHERS, Breakdowns, break_down
from evaluation.scoring.compare import Comparison
from evaluation.scoring.counts import tallies
from evaluation.scoring.groups import Breakdown, GroupTally
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
# Those that take any segmentation, and files without enhanced dependencies.
OF_RAW_TEXT = ("conll17", "conll18", "plank15")


@pytest.fixture
def breakdowns() -> Breakdowns:
    return break_down(comparison(GOLD, SYSTEM))


def test_a_wrong_relation_counts_under_the_relation_of_each_side(breakdowns: Breakdowns) -> None:
    relation = breakdowns.relation
    both, neither = GroupTally(1, 1, 1, 1, 1), GroupTally(1, 1, 1, 0, 0)
    assert relation["obj"]["UAS"] == GroupTally(1, 0, 1, 1, 0)
    assert relation["obl"]["UAS"] == GroupTally(0, 1, 0, 0, 1)
    assert relation["obj"]["LAS"] == GroupTally(1, 0, 1, 0, 0)
    assert [relation["det"][metric] for metric in ("UAS", "LAS", "LA")] == [neither, neither, both]
    assert [relation["nsubj"][metric] for metric in ("UAS", "LAS", "LA")] == [both] * 3


def test_a_wrong_tag_does_not_lose_the_correct_arc(breakdowns: Breakdowns) -> None:
    noun, name = breakdowns.upos["NOUN"]["LAS"], breakdowns.upos["PROPN"]["LAS"]
    assert noun == GroupTally(gold=1, system=2, aligned=1, correct_by_gold=0, correct_by_system=1)
    assert name == GroupTally(gold=1, system=0, aligned=1, correct_by_gold=1, correct_by_system=0)
    assert (noun.precision, noun.recall, noun.f1) == (0.5, 0.0, 0.0)


def test_every_word_metric_is_broken_down(breakdowns: Breakdowns) -> None:
    assert breakdowns.metrics == (*PROFILES["conll18"].word_metrics, "LA")
    # Kim has the wrong tag, so the subject counts for LAS and BLEX, not for MLAS and UPOS.
    subject = breakdowns.relation["nsubj"]
    correct = {metric: tally.correct_by_gold for metric, tally in subject.items()}
    assert [correct[metric] for metric in ("LAS", "MLAS", "BLEX", "UPOS", "Lemmas", "Words")] == [
        1,
        0,
        1,
        0,
        1,
        1,
    ]


def test_metrics_of_content_words_have_no_groups_of_function_words(breakdowns: Breakdowns) -> None:
    assert breakdowns.relation["det"]["CLAS"] == GroupTally()
    content = [label for label, _ in breakdowns.relation.groups("CLAS")]
    assert content == ["nsubj", "root", "obj", "discourse", "obl"]
    assert [label for label, _ in breakdowns.relation.groups("LAS")] == [
        "det",
        "nsubj",
        "root",
        "obj",
        "punct",
        "discourse",
        "obl",
    ]


def test_lengths_and_directions_are_those_of_each_side(breakdowns: Breakdowns) -> None:
    def totals(breakdown: Breakdown) -> dict[str, tuple[int, int]]:
        return {label: (tally.gold, tally.system) for label, tally in breakdown.groups("LAS")}

    assert totals(breakdowns.length) == {
        "root": (1, 1),
        "1": (2, 3),
        "2": (1, 1),
        "3–6": (1, 0),
        "7+": (0, 0),
    }
    assert totals(breakdowns.direction) == {"head before": (2, 3), "root": (1, 1), "head after": (2, 1)}
    assert totals(breakdowns.signed_length) == {
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
    result = break_down(comparison("\n".join(lines), "\n".join(lines)))
    lengths = result.signed_length
    assert (lengths["7+ before"]["UAS"].gold, lengths["3–6 before"]["UAS"].gold) == (1, 4)


def test_subtypes_are_compared_whole_in_their_own_breakdown() -> None:
    result = break_down(comparison("1 a X 0 root\n2 b X 1 obj:x", "1 a X 0 root\n2 b X 1 obj:y"))
    assert result.relation["obj"]["LAS"].f1 == 1.0
    assert result.subtype["obj:x"]["LAS"].recall == 0.0
    assert result.subtype["obj:x"]["MLAS"].recall == 0.0
    assert result.subtype["obj:x"]["UAS"].recall == 1.0


def test_confusions_are_listed_the_most_frequent_first(breakdowns: Breakdowns) -> None:
    both = (
        breakdowns
        + breakdowns
        + break_down(comparison("1 a X 0 root\n2 b X 1 obj", "1 a X 0 root\n2 b X 1 iobj"))
    )
    assert both.confusion.confusions() == [("obj", "obl", 2), ("punct", "discourse", 2), ("obj", "iobj", 1)]


def test_a_system_word_counts_in_the_gold_sentence_where_its_token_begins() -> None:
    gold = "1 a X 0 root\n\n" + "\n".join(f"{n} b X {n - 1} dep" for n in range(1, 8)).replace(
        " 0 dep", " 0 root"
    )
    system = "1 a X 0 root\n" + "\n".join(f"{n} b X 1 dep" for n in range(2, 9))
    result = break_down(comparison(gold, system)).sentence_length
    assert (result["1–5"]["LAS"].gold, result["1–5"]["LAS"].system) == (1, 1)
    assert (result["6–10"]["LAS"].gold, result["6–10"]["LAS"].system) == (7, 7)


def _check_sums(compared: Comparison) -> None:
    """The groups of every breakdown add up to the counts of the file, for every metric that counts words."""
    options = replace(compared.options, label_accuracy=True)
    profile = compared.profile
    metrics, with_subtypes = (
        tallies(Comparison(compared.gold, compared.system, profile, replace(options, subtypes=subtypes)))
        for subtypes in (options.subtypes, True)
    )
    breakdowns = break_down(compared)
    assert set(breakdowns.metrics) == {*profile.word_metrics, "LA"}
    for name, breakdown in breakdowns.parts():
        for metric in breakdowns.metrics:
            groups = [tally for _, tally in breakdown.groups(metric)]
            tally = (with_subtypes if name == "subtype" else metrics)[metric]
            assert sum(group.gold for group in groups) == tally.gold
            assert sum(group.system for group in groups) == tally.system
            assert sum(group.correct_by_gold for group in groups) == tally.correct
            assert sum(group.correct_by_system for group in groups) == tally.correct
            # Where every aligned pair is correct, the number of pairs is not reported.
            aligned = tally.correct if tally.aligned is None else tally.aligned
            assert sum(group.aligned for group in groups) == aligned
    assert sum(breakdowns.confusion.counts.values()) == metrics["UAS"].aligned
    assert tuple(name for name, _ in breakdowns.parts()) == DIVISIONS


@pytest.mark.parametrize("subtypes", [False, True])
@pytest.mark.parametrize("punctuation", ["all", "relation", "form"])
@pytest.mark.parametrize("profile", OF_RAW_TEXT)
@pytest.mark.parametrize("seed", range(30))
def test_groups_add_up_to_the_counts_of_the_file(
    seed: int, profile: str, punctuation: str, subtypes: bool
) -> None:
    gold, system = draw_pair(random.Random(seed).randrange)
    options = evaluation.Options(punctuation=punctuation, subtypes=subtypes)  # type: ignore[arg-type]
    try:
        compared = evaluation.compare(gold, system, profile, options=options)
    except InvalidFile:
        # The profile does not remove a space that only one of the two files has.
        return
    _check_sums(compared)


@pytest.mark.parametrize("profile", OF_RAW_TEXT)
@pytest.mark.parametrize("treebank", ["kk", "he", "ja"])
def test_groups_of_real_outputs_add_up(conll17: Path, treebank: str, profile: str) -> None:
    gold = evaluation.read(conll17 / treebank / "gold.conllu")
    checked = 0
    for file in sorted((conll17 / treebank / "system").iterdir())[:4]:
        try:
            compared = evaluation.compare(gold, file, profile)
        except InvalidFile:
            continue
        _check_sums(compared)
        checked += 1
    assert checked


def test_two_files_add_up_to_one_that_holds_both(breakdowns: Breakdowns) -> None:
    gold, system = "1 b X 2 det\n2 a NOUN 0 root", "1 b X 0 root\n2 a X 1 det"
    other = break_down(comparison(gold, system))
    together = break_down(comparison(f"{GOLD.strip()}\n\n{gold}", f"{SYSTEM.strip()}\n\n{system}"))
    assert breakdowns + other == together
    assert other + breakdowns == together
    assert Breakdowns.total([other, breakdowns]) == together


def test_breakdowns_by_other_metrics_do_not_add_up(breakdowns: Breakdowns) -> None:
    other = break_down(comparison(GOLD, SYSTEM, "conll17"))
    with pytest.raises(ValueError, match="different metrics"):
        breakdowns + other


def test_breakdowns_survive_storing(breakdowns: Breakdowns) -> None:
    stored = breakdowns.to_bytes()
    assert Breakdowns.from_bytes(stored) == breakdowns
    assert len(stored) < 2000
    with pytest.raises(ValueError, match="damaged breakdowns"):
        Breakdowns.from_bytes(stored[:-1])


def test_a_relation_for_every_word_is_gathered_into_few_groups() -> None:
    gold = "\n".join(["1 w X 0 root", *(f"{n} w X 1 dep" for n in range(2, 3001))])
    system = "\n".join(["1 w X 0 root", *(f"{n} w X 1 r{n}" for n in range(2, 3001))])
    compared = evaluation.compare(
        conllu(gold), conllu(system), options=evaluation.Options(label_accuracy=True)
    )
    relation = break_down(compared).relation
    assert len(relation.labels) < 500
    assert relation[OTHERS]["LAS"].system > 2000
    _check_sums(compared)
