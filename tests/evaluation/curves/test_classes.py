"""Classes of gold words, on a sentence that is small enough to check by eye."""

import pytest

from evaluation.curves.classes import classify
from evaluation.reading.read import read

ROWS = (
    ("The", "DET", 2, "det"),
    ("cat", "NOUN", 3, "nsubj"),
    ("sat", "VERB", 0, "root"),
    ("on", "ADP", 6, "case"),
    ("my", "PRON", 6, "nmod:poss"),
    ("mat", "NOUN", 3, "obl"),
    (".", "PUNCT", 3, "punct"),
)
GOLD = read(
    "".join(
        f"{n}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
        for n, (form, tag, head, relation) in enumerate(ROWS, start=1)
    ).encode()
    + b"\n"
)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("upos-direction", ["DET>", "NOUN>", "VERB>", "ADP>", "PRON>", "NOUN<"]),
        ("upos", ["DET", "NOUN", "VERB", "ADP", "PRON", "NOUN"]),
        ("relation", ["det", "nsubj", "root", "case", "nmod", "obl"]),
        ("length", ["1", "1", "root", "2", "1", "3–6"]),
        ("depth", ["3", "2", "1", "3", "3", "2"]),
        (
            "upos-direction-relation",
            ["DET>det", "NOUN>nsubj", "VERB>root", "ADP>case", "PRON>nmod", "NOUN<obl"],
        ),
    ],
)
def test_every_word_but_punctuation_has_a_class(by: str, expected: list[str]) -> None:
    classes = classify(GOLD, by)
    assert classes.words.tolist() == [0, 1, 2, 3, 4, 5]
    assert [classes.names[code] for code in classes.codes] == expected
    assert set(classes.names) == set(expected)


def test_bins_without_words_are_named() -> None:
    assert classify(GOLD, "length").empty == ("7+",)
    assert classify(GOLD, "depth").empty == ("4", "5", "6", "7+")


def test_words_deeper_than_seven_share_a_bin() -> None:
    chain = "".join(f"{n}\tw\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n in range(1, 11)).encode() + b"\n"
    classes = classify(read(chain), "depth")
    names = [classes.names[code] for code in classes.codes]
    assert names == ["1", "2", "3", "4", "5", "6", "7+", "7+", "7+", "7+"]
    assert classes.names == ("1", "2", "3", "4", "5", "6", "7+")
