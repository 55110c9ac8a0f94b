"""Which sentences are offered to annotators, and how they are drawn."""

from __future__ import annotations

import evaluation
from evaluation.judgements.controls import damage
from evaluation.judgements.items import (
    Candidate,
    anonymous_source,
    draw_items,
    find_candidates,
    texts_between,
)

LINE = "{}\t{}\t_\tX\t_\t_\t{}\t{}\tdeps\tSystem=Secret\n"


def sentence(*words: tuple[str, int, str], comment: str = "# system = Secret\n") -> str:
    lines = [LINE.format(number, *word) for number, word in enumerate(words, start=1)]
    return comment + "".join(lines) + "\n"


SAME = sentence(("a", 0, "root"), ("b", 1, "obj"))
FIRST = sentence(("c", 0, "root"), ("d", 1, "obj"), (".", 1, "punct"))
OTHER_HEAD = sentence(("c", 2, "nsubj"), ("d", 0, "root"), (".", 2, "punct"))
OTHER_PUNCTUATION = sentence(("c", 0, "root"), ("d", 1, "obj"), (".", 2, "dep"))
JOINED = sentence(("e", 0, "root"), ("f", 1, "obj"), ("g", 1, "obj"))
SPLIT = sentence(("e", 0, "root"), ("f", 1, "obj")) + sentence(("g", 0, "root"))
ONE_WORD = sentence(("hi", 0, "root"))
TWO_WORDS = sentence(("h", 0, "root"), ("i", 1, "dep"))


def candidates(first: str, second: str) -> list[Candidate]:
    return find_candidates(
        evaluation.read(first.encode()), evaluation.read(second.encode()), profile="conll18"
    )


def test_sentences_with_the_same_tree_are_not_offered() -> None:
    assert candidates(SAME + FIRST, SAME + OTHER_HEAD) == [
        Candidate(first=1, second=1, begin=2, end=5, words=3)
    ]


def test_differences_in_punctuation_alone_do_not_count() -> None:
    assert candidates(FIRST, OTHER_PUNCTUATION) == []


def test_sentences_that_are_delimited_differently_are_not_offered() -> None:
    offered = candidates(JOINED + FIRST, SPLIT + OTHER_HEAD)
    assert [(item.first, item.second) for item in offered] == [(1, 2)]


def test_words_of_either_output_alone_make_a_difference() -> None:
    assert [item.first for item in candidates(SAME + ONE_WORD, SAME + TWO_WORDS)] == [1]
    assert [item.first for item in candidates(SAME + TWO_WORDS, SAME + ONE_WORD)] == [1]


def drawn(number: int, *, by_length: bool = False, seed: int = 1) -> list[Candidate]:
    every = [
        Candidate(first=n, second=n, begin=10 * n, end=10 * n + 9, words=5 if n < 90 else 40)
        for n in range(100)
    ]
    return draw_items(every, number, seed=seed, key="en", by_length=by_length)


def test_draws_depend_on_the_seed_alone_and_grow_by_addition() -> None:
    assert drawn(10) == drawn(10)
    assert drawn(20)[:10] == drawn(10)
    assert drawn(10, seed=2) != drawn(10)
    assert len(drawn(1000)) == 100


def test_lengths_take_turns() -> None:
    assert sum(item.words > 30 for item in drawn(10, by_length=True)) == 5


def test_nothing_that_names_a_system_remains() -> None:
    source = anonymous_source(evaluation.read(FIRST.encode()), 0)
    assert "Secret" not in source and "deps" not in source
    assert evaluation.read(source.encode()).words == 3


def test_texts_are_cut_out_of_the_raw_text() -> None:
    assert texts_between("Ä b. \n Cd e\n", [(0, 4), (4, 7), (4, 99)]) == ["Ä b.", "Cd e", ""]


def test_damaged_trees_are_trees_with_other_heads() -> None:
    source = anonymous_source(
        evaluation.read(
            sentence(("a", 2, "x"), ("b", 0, "root"), ("c", 2, "x"), ("d", 3, "x"), ("e", 3, "x")).encode()
        ),
        0,
    )
    for key in map(str, range(50)):
        damaged = damage(source, seed=1, key=key, arcs=2)
        assert damaged is not None
        trees = [evaluation.read(text.encode()) for text in (source, damaged)]
        assert 1 <= (trees[0].parent != trees[1].parent).sum() <= 2
    assert damage(source, seed=1, key="a") == damage(source, seed=1, key="a")
    assert damage(anonymous_source(evaluation.read(SAME.encode()), 0), seed=1, key="") is None


def test_punctuation_is_damaged_last() -> None:
    """With two words that can be moved and two marks, the words are moved."""
    source = anonymous_source(
        evaluation.read(
            sentence(
                ("a", 2, "x"), ("b", 0, "root"), ("c", 2, "x"), (",", 2, "punct"), ("?!", 2, "punct")
            ).encode()
        ),
        0,
    )
    intact = evaluation.read(source.encode())
    for key in map(str, range(20)):
        damaged = damage(source, seed=1, key=key, arcs=2)
        assert damaged is not None
        changed = intact.parent != evaluation.read(damaged.encode()).parent
        assert changed.tolist() == [True, False, True, False, False]
