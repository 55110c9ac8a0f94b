"""Trees in plain text: every arc can be followed, in any tree."""

import random

import pytest

import evaluation
from evaluation.showing.sketch import MAX_BARS, bars, sketch
from evaluation.showing.words import Tree, tree_of
from tests.evaluation.small_files import conllu, star


def _tree(text: str) -> Tree:
    return tree_of(evaluation.read(conllu(text)), 0)


def _lines(text: str) -> list[str]:
    tree = _tree(text)
    return bars(tree, range(len(tree.words)), len(tree.words))


def test_a_projective_tree_nests_its_bars() -> None:
    assert _lines(
        "1 The DET 2 det\n2 cat NOUN 3 nsubj\n3 saw VERB 0 root\n4 a DET 5 det\n5 dog NOUN 3 obj"
    ) == [
        " ┌►",
        "┌┴►",
        "├─●",
        "│┌►",
        "└┴►",
    ]


def test_a_word_between_its_dependents_joins_both_its_bars() -> None:
    assert _lines("1 a X 0 root\n2 b X 3 dep\n3 c X 1 dep\n4 d X 3 dep") == ["┌─●", "│┌►", "└┼►", " └►"]


def test_crossing_arcs_pass_over_the_bar_of_another() -> None:
    assert _lines("1 a X 3 dep\n2 b X 4 dep\n3 c X 0 root\n4 d X 3 dep") == [
        "┌─►",
        "│┌►",
        "├─●",
        "└┴►",
    ]


def _families(lines: list[str]) -> list[list[int]]:
    """What a reader sees: for each unbroken bar the rows whose lines join it."""
    items = []
    for column in range(len(lines[0]) - 1):
        rows: list[int] = []
        for row, line in enumerate(lines):
            if line[column] in "┌┬├┼└┴":
                rows.append(row)
            if line[column] in "└┴":
                items.append(rows)
                rows = []
            elif rows and line[column] not in "┌┬├┼│":
                # The bar is interrupted, and a reader loses it.
                items.append(rows)
                rows = []
    return sorted(items)


def _projective(choose: random.Random, first: int, last: int, parent: int) -> dict[int, int]:
    """A random projective tree over the words first to last, as heads."""
    if first > last:
        return {}
    root = choose.randint(first, last)
    heads = {root: parent}
    for begin, end in ((first, root - 1), (root + 1, last)):
        while begin <= end:
            stop = choose.randint(begin, end)
            heads.update(_projective(choose, begin, stop, root))
            begin = stop + 1
    return heads


@pytest.mark.parametrize("seed", range(200))
def test_every_family_of_a_projective_tree_can_be_read_back(seed: int) -> None:
    choose = random.Random(seed)
    words = choose.randint(2, 25)
    heads = _projective(choose, 1, words, 0)
    text = "\n".join(f"{n} w X {heads[n]} {'dep' if heads[n] else 'root'}" for n in range(1, words + 1))
    families: dict[int, list[int]] = {}
    for word, head in heads.items():
        if head:
            families.setdefault(head, [head - 1]).append(word - 1)
    assert _families(_lines(text)) == sorted(sorted(family) for family in families.values())


def test_words_may_leave_rows_empty() -> None:
    tree = _tree("1 a X 0 root\n2 b X 1 dep")
    assert bars(tree, [0, 3], 5) == ["┌●", "│ ", "│ ", "└►", "  "]


def test_a_sketch_names_the_words() -> None:
    assert sketch(_tree("1 Go VERB 0 root\n2 on ADP 1 compound:prt")).splitlines() == [
        "┌●   1 VERB   root           Go",
        "└►   2 ADP    compound:prt   on",
    ]


def test_a_star_of_five_thousand_words_has_one_bar() -> None:
    lines = _lines(star(5000, root=2500))
    assert {len(line) for line in lines} == {2}
    assert lines[2499] == "├●" and lines[0] == "┌►" and lines[-1] == "└►"


def test_bars_beyond_the_limit_are_left_out_and_the_rest_stays_in_line() -> None:
    # Each word hangs on its mirror image or the next: every arc lies inside the next.
    words = 400
    order = sorted(range(1, words + 1), key=lambda n: (abs(n - words // 2), n))
    heads = {order[0]: 0, **dict(zip(order[1:], order, strict=False))}
    lines = _lines(
        "\n".join(f"{n} w X {heads[n]} {'dep' if heads[n] else 'root'}" for n in range(1, words + 1))
    )
    assert {len(line) for line in lines} == {MAX_BARS + 1}


def test_control_characters_do_not_reach_the_terminal() -> None:
    file = conllu("1 ab X 0 root").replace(
        b"ab\tab\tX", b"a\x1b]0;b\tab\t\x9b2J".replace(b"\x9b", "\x9b".encode())
    )
    assert sketch(tree_of(evaluation.read(file), 0)).isprintable()
