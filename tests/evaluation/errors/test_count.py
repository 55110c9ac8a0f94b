"""Errors and displacement: small cases by hand, drawn trees against a slow reference."""

import random
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import evaluation
from evaluation import InvalidFile
from evaluation.errors.classes import ErrorClasses
from evaluation.errors.count import ErrorCounts, ErrorTally, count_errors, find_errors
from evaluation.errors.parse import built_in, parse_classes
from evaluation.scoring.compare import Comparison
from tests.evaluation import reference
from tests.evaluation.drawing import Shape, draw_pair
from tests.evaluation.small_files import comparison

UNIVERSAL = built_in("universal")
# The relations of drawn files, so that all classes have words.
DRAWN = parse_classes(b"classes: A, B, C\nA: nsubj case:x\nB: det vocative unless child case\nC: *\n")

GOLD = """
1 Kim PROPN 2 nsubj
2 sees VERB 0 root
3 the DET 4 det
4 rain NOUN 2 obj
5 today NOUN 2 obl
"""


def errors_of(system: str, gold: str = GOLD) -> dict[str, ErrorTally]:
    return {name: t for name, t in count_errors(comparison(gold, system), UNIVERSAL).items() if t.errors}


def test_nothing_is_wrong_in_gold_itself() -> None:
    assert errors_of(GOLD) == {}


def test_displacement_is_the_distance_between_the_heads() -> None:
    system = GOLD.replace("3 the DET 4", "3 the DET 5").replace("5 today NOUN 2", "5 today NOUN 4")
    assert errors_of(system) == {
        "NP internal": ErrorTally(words=1, errors=1, las_errors=1, distance=1),
        "Modifier attachment": ErrorTally(words=1, errors=1, las_errors=1, distance=2),
    }


def test_a_wrong_relation_is_an_error_of_las_only() -> None:
    tallies = count_errors(comparison(GOLD, GOLD.replace("obl", "obj").replace("root", "root:x")), UNIVERSAL)
    assert tallies["Modifier attachment"] == ErrorTally(words=1, las_errors=1)
    assert tallies["Root"] == ErrorTally(words=1)


def test_a_wrong_root_displaces_by_the_distance_of_the_root_words() -> None:
    system = """
    1 Kim PROPN 2 nsubj
    2 sees VERB 4 acl
    3 the DET 4 det
    4 rain NOUN 0 root
    5 today NOUN 2 obl
    """
    assert errors_of(system) == {
        "NP attachment": ErrorTally(words=2, errors=1, las_errors=1, distance=2),
        "Root": ErrorTally(words=1, errors=1, las_errors=1, distance=2),
    }


def test_merged_sentences_displace_to_the_one_root() -> None:
    gold = "1 a X 0 root\n\n1 b X 2 det\n2 c X 0 root"
    system = "1 a X 0 root\n2 b X 3 det\n3 c X 1 conj"
    assert errors_of(system, gold) == {"Root": ErrorTally(words=2, errors=1, las_errors=1, distance=2)}


def test_unaligned_words_heads_and_roots_are_counted_apart() -> None:
    gold = "1 a X 2 det\n2 b X 0 root\n3 c X 2 obj\n4 d X 2 punct"
    # The system's root is a word that gold does not have, and the heads of two words are that word.
    system = "1 a X 2 det\n2 bc X 0 root\n3 d X 2 punct"
    assert errors_of(system, gold) == {
        "NP internal": ErrorTally(words=1, errors=1, las_errors=1, unaligned=1),
        "NP attachment": ErrorTally(words=1, errors=1, las_errors=1, unaligned=1),
        "Root": ErrorTally(words=1, errors=1, las_errors=1, unaligned=1),
        "Punctuation": ErrorTally(words=1, errors=1, las_errors=1, unaligned=1),
    }


def test_an_unaligned_root_leaves_the_gold_root_without_displacement() -> None:
    gold = "1 a X 0 root\n2 b X 1 obj\n3 c X 1 punct"
    system = "1 a X 2 nsubj\n2 bc X 0 root"
    assert errors_of(system, gold)["Root"] == ErrorTally(words=1, errors=1, las_errors=1, unaligned=1)


def test_rate_and_displacement_follow_from_the_counts() -> None:
    tally = ErrorTally(words=8, errors=3, las_errors=4, unaligned=1, distance=5)
    assert (tally.rate, tally.displacement) == (3 / 8, 5 / 2)
    assert (ErrorTally().rate, ErrorTally().displacement) == (0.0, None)
    assert ErrorTally(2, 1, 1, 1, 0).displacement is None
    assert tally + ErrorTally(1, 1, 1, 1, 1) == ErrorTally(9, 4, 5, 2, 6)


class Slow:
    """The definition word by word, over the slow reader and aligner; classes are taken as given."""

    def __init__(self, gold: bytes, system: bytes, profile: str) -> None:
        slow = reference.Reference(gold, system, profile)
        self._gold, self._system = slow._gold, slow._system
        self._partner = {id(g): s for g, s in slow.pairs}
        self._place_in_gold = {id(w): n for n, w in enumerate(self._gold.words)}
        self._gold_of = {id(s): g for g, s in slow.pairs}

    def word(self, number: int) -> ErrorTally:
        gold = self._gold.words[number]
        system = self._partner.get(id(gold))
        if system is None:
            return ErrorTally(1, 1, 1, 1)
        head = self._gold_of.get(id(system.parent)) if system.parent else None
        same_root = gold.parent is None and system.parent is None
        if same_root or (gold.parent is not None and head is gold.parent):
            return ErrorTally(1, 0, int(gold.relation != system.relation))
        left, right = gold.parent, system.parent
        if left is None or right is None:
            left, right = self._root(self._gold, gold), self._root(self._system, system)
        predicted = self._gold_of.get(id(right))
        if predicted is None:
            return ErrorTally(1, 1, 1, 1)
        distance = abs(self._place_in_gold[id(predicted)] - self._place_in_gold[id(left)])
        return ErrorTally(1, 1, 1, 0, distance)

    @staticmethod
    def _root(file: reference.File, word: reference.Word) -> reference.Word:
        same = [other for other in file.words if other.token.sentence == word.token.sentence]
        return next(other for other in same if other.parent is None)


def check_against_reference(compared: Comparison, slow: Slow, classes: ErrorClasses) -> ErrorTally:
    errors = find_errors(compared, classes)
    expected = [[ErrorTally()] * len(classes.names) for _ in range(compared.gold.sentences)]
    for number in range(compared.gold.words):
        row = expected[compared.gold.sentence[number]]
        row[errors.class_of[number]] += slow.word(number)
    by_sentence = [[ErrorTally(*cell) for cell in row] for row in errors.by_sentence().values.tolist()]
    assert by_sentence == expected
    totals = [sum(column, ErrorTally()) for column in zip(*expected, strict=True)]
    assert list(errors.total().values()) == totals
    return sum(totals, ErrorTally())


def test_drawn_trees_agree_with_the_slow_reference() -> None:
    """Small files with other words and sentences on each side, roots and ranges included."""
    seen = ErrorTally()
    for seed in range(400):
        gold, system = draw_pair(random.Random(seed).randrange, Shape(characters=24, spaces=(" ",)))
        for profile in ("conll17", "conll18"):
            try:
                compared = evaluation.compare(gold, system, profile)
            except InvalidFile:
                continue
            seen += check_against_reference(compared, Slow(gold, system, profile), DRAWN)
    # All kinds of outcomes occur often.
    assert min(asdict(seen).values()) > 100


def test_a_real_output_agrees_with_the_slow_reference(conll17: Path) -> None:
    gold, system = conll17 / "kk" / "gold.conllu", conll17 / "kk" / "system" / "Stanford.conllu"
    lines = [path.read_bytes() for path in (gold, system)]
    check_against_reference(evaluation.compare(*lines), Slow(*lines, "conll18"), UNIVERSAL)


def test_errors_of_all_classes_are_the_errors_of_the_attachment_scores(conll17: Path) -> None:
    for treebank in ("he", "fr_sequoia"):
        for team in ("Stanford", "IMS"):
            compared = evaluation.compare(
                conll17 / treebank / "gold.conllu", conll17 / treebank / "system" / f"{team}.conllu"
            )
            total = sum(count_errors(compared, UNIVERSAL).values(), ErrorTally())
            metrics = evaluation.scoring.counts.tallies(compared)
            assert total.words == metrics["UAS"].gold
            assert total.words - total.errors == metrics["UAS"].correct
            assert total.words - total.las_errors == metrics["LAS"].correct


def test_counts_of_sentences_add_up_to_those_of_the_file_and_survive_storing() -> None:
    system = GOLD.replace("3 the DET 4", "3 the DET 5")
    errors = find_errors(comparison(f"{GOLD}\n1 x X 0 root", f"{system}\n1 x X 0 root"), UNIVERSAL)
    counts = errors.by_sentence()
    assert counts.values.shape == (2, 9, 5)
    assert counts.total() == errors.total()
    stored = counts.to_bytes()
    again = ErrorCounts.from_bytes(stored)
    assert again.names == counts.names
    assert np.array_equal(again.values, counts.values)
    with pytest.raises(ValueError, match="damaged error counts"):
        ErrorCounts.from_bytes(stored[:-1])
