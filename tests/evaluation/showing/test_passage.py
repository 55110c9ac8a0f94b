"""A gold sentence and the system's words for it, under any segmentation."""

import random

import pytest

import evaluation
from evaluation.showing.passage import Passage, Passages
from evaluation.showing.words import OUTSIDE, tree_of
from tests.evaluation.drawing import draw_pair
from tests.evaluation.small_files import comparison, conllu


def _passage(gold: str, system: str, sentence: int = 0) -> Passage:
    return Passages(comparison(gold, system)).passage_of(sentence)


def test_partners_share_a_row_and_other_words_are_alone() -> None:
    gold = "1 New X 2 flat\n2 York X 0 root\n3 ! X 2 punct"
    system = "1 NewYork X 0 root\n2 ! X 1 punct"
    passage = _passage(gold, system)
    assert passage.rows == ((0, None), (None, 0), (1, None), (2, 1))
    assert [word.judgement.is_aligned for word in passage.gold.words] == [False, False, True]
    assert [word.judgement.is_aligned for word in passage.system.words] == [False, True]
    # The stop hangs on a word without a partner, so its head cannot be right.
    assert passage.gold.words[2].judgement.wrong == {"head"}


def test_disagreements_are_marked_on_both_sides() -> None:
    passage = _passage("1 a X 0 root\n2 b X 1 obj", "1 a Y 0 root\n2 b X 1 obl")
    for tree in (passage.gold, passage.system):
        assert [word.judgement.wrong for word in tree.words] == [{"upos"}, {"relation"}]


def test_a_system_that_splits_shows_all_its_sentences() -> None:
    passage = _passage("1 a X 0 root\n2 b X 1 dep", "1 a X 0 root\n\n1 b X 0 root")
    assert passage.system_sentences == 2
    assert [word.begins_sentence for word in passage.system.words] == [True, True]
    assert not passage.has_same_sentence


def test_a_system_that_joins_sentences_shows_the_surrounding_words_as_outside() -> None:
    gold = "1 a X 0 root\n\n1 b X 0 root\n\n1 c X 0 root"
    passage = _passage(gold, "1 a X 0 root\n2 b X 1 dep\n3 c X 1 dep", sentence=1)
    assert [word.judgement.is_inside for word in passage.system.words] == [False, True, False]
    assert [word.judgement.has_error for word in passage.system.words] == [False, True, False]
    assert passage.rows == ((None, 0), (0, 1), (None, 2))


def test_a_system_that_never_ends_a_sentence_has_short_passages() -> None:
    gold = "\n\n".join(["1 a X 0 root"] * 500)
    system = "\n".join(["1 a X 0 root", *(f"{n} a X 1 dep" for n in range(2, 501))])
    passage = _passage(gold, system, sentence=250)
    assert len(passage.system.words) < 40
    assert {word.head for word in passage.system.words} == {OUTSIDE}


def test_a_range_over_a_sentence_boundary_keeps_its_words_with_their_partners() -> None:
    gold = "1 a X 0 root\n\n1 b X 0 root"
    system = "1-2 ab\n1 a X 0 root\n2 b X 1 dep"
    first, second = (_passage(gold, system, sentence) for sentence in (0, 1))
    assert [word.judgement.is_inside for word in first.system.words] == [True, False]
    assert [word.judgement.is_inside for word in second.system.words] == [False, True]
    assert first.system.ranges[0].form == "ab"


def test_sentence_ids_texts_and_lines_are_known() -> None:
    passage = _passage(
        "# sent_id = s-1\n# text = a b\n1 a X 0 root\n2 b X 1 dep", "1 a X 0 root\n2 b X 1 dep"
    )
    assert (passage.sentence_id, passage.text) == ("s-1", "a b")
    assert (passage.gold_line, passage.system_line) == (3, 1)


def test_the_tree_of_a_sentence_has_its_ranges_and_places() -> None:
    source = "1 x X 0 root\n\n1-2 zum\n1 zu ADP 2 case\n2 ~ DET 0 root"
    tree = tree_of(evaluation.read(conllu(source)), 1)
    assert [word.head for word in tree.words] == [1, -1]
    assert [(held.first, held.last, held.form) for held in tree.ranges] == [(0, 1, "zum")]
    assert tree.words[1].form == ""


@pytest.mark.parametrize("seed", range(300))
def test_every_word_of_odd_files_is_in_exactly_one_row(seed: int) -> None:
    gold, system = draw_pair(random.Random(seed).randrange)
    compared = evaluation.compare(gold, system)
    passages = Passages(compared)
    aligned = 0
    for sentence in range(compared.gold.sentences):
        passage = passages.passage_of(sentence)
        golds = [g for g, _ in passage.rows if g is not None]
        systems = [s for _, s in passage.rows if s is not None]
        assert golds == list(range(len(passage.gold.words)))
        assert systems == list(range(len(passage.system.words)))
        aligned += sum(word.judgement.is_aligned for word in passage.gold.words)
    assert aligned == len(compared.alignment.gold)
