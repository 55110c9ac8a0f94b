"""Files of error classes: what they may contain, and how errors in them are reported."""

import re

import pytest

from evaluation.errors.classes import Condition, Rule
from evaluation.errors.parse import BUILT_IN, MAX_BYTES, InvalidClasses, built_in, parse_classes

HEADER = "classes: A, B b\n"
NINE = (
    "NP attachment",
    "NP internal",
    "PP attachment",
    "Clause attachment",
    "Modifier attachment",
    "Coordination",
    "Root",
    "Punctuation",
    "Other",
)


def test_rules_are_read_in_their_order() -> None:
    text = HEADER + "\n# a comment\nA: x y:z\r\nB b: x:y if child case mark\nA: w unless upos ADP\nB b: *"
    classes = parse_classes(text.replace("x:y if", "v if").encode())
    assert classes.names == ("A", "B b")
    assert classes.rules == (
        Rule("A", ("x", "y:z")),
        Rule("B b", ("v",), Condition("child", frozenset({"case", "mark"}))),
        Rule("A", ("w",), Condition("upos", frozenset({"ADP"})), expected=False),
        Rule("B b", ("*",)),
    )


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_classes_have_the_names_of_the_paper(name: str) -> None:
    assert built_in(name).names == NINE


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty"),
        ("# nothing\n\n", 3, "the file is empty"),
        ("A: x\n", 1, "the first line lists the classes"),
        ("classes: A, A\nA: *", 1, "“A” is listed twice"),
        ("classes: A,\nA: *", 1, "1 to 60 printable characters"),
        ("classes: " + ", ".join(f"C{n}" for n in range(51)), 1, "51 classes; at most 50"),
        (HEADER + "A x", 2, "expected “CLASS: RELATIONS”, found “A x”"),
        (HEADER + "A:", 2, "expected “CLASS: RELATIONS”"),
        (HEADER + "A: if child x", 2, "names no relation"),
        (HEADER + "\nC: x", 3, "“C” is not in the list of classes"),
        (HEADER + "A: * x", 2, "“*” must stand alone"),
        (HEADER + "A: x if", 2, "a condition is"),
        (HEADER + "A: x if child", 2, "a condition is"),
        (HEADER + "A: x if parent y", 2, "found “parent y”"),
        (HEADER + "A: x if child y unless upos Z", 2, "at most one condition"),
        (HEADER + "A: x\nB b: y x", 3, "“x” is never reached: the rule in line 2"),
        (HEADER + "A: x\nB b: x:y", 3, "“x:y” is never reached"),
        (HEADER + "A: x\nB b: x if child y", 3, "“x” is never reached"),
        (HEADER + "A: *\nB b: x", 3, "“x” is never reached"),
        (HEADER + "A: x\nB b: y", 3, "the last rule must fit all other words: “B b: *”"),
        (HEADER + "A: * if child y", 2, "the last rule must fit"),
        (HEADER + "A: x\nA: *", 3, "no rule leads to “B b”"),
        ("#" * (MAX_BYTES + 1), 1, "larger than 100,000 bytes"),
    ],
)
def test_errors_are_reported_with_their_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InvalidClasses, match=re.escape(message)) as caught:
        parse_classes(text.encode(), "own.classes")
    assert str(caught.value).startswith(f"own.classes:{line}: ")


def test_a_line_that_is_not_utf8_is_reported() -> None:
    with pytest.raises(InvalidClasses, match=r"own:3: the line is not UTF-8"):
        parse_classes(HEADER.encode() + b"\nA: \xff\n", "own")


def test_a_later_rule_may_catch_what_an_earlier_condition_leaves() -> None:
    classes = parse_classes(
        (HEADER + "A: x if child y\nB b: x unless child y\nA: x:z:w if upos Q\nA: *").encode()
    )
    assert len(classes.rules) == 4
