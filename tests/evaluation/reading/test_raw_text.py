"""The raw text of a public treebank is the running text: no line break reveals where a gold sentence ends."""

from __future__ import annotations

from pathlib import Path

import pytest

import evaluation
from evaluation.reading.raw_text import Segmentation, leaked_segmentation

DEMO = sorted((Path(__file__).parents[3] / "demo" / "gold").glob("*.conllu"))


def sentence(*tokens: str, comments: tuple[str, ...] = ()) -> str:
    """A chain of words. A token is `form` or `form/MISC`; one of two words is written `form=first+second`."""
    lines = list(comments)
    number = 0
    for token in tokens:
        form, _, misc = token.partition("/")
        form, _, inside = form.partition("=")
        words = inside.split("+") if inside else [form]
        if inside:
            lines.append(f"{number + 1}-{number + len(words)}\t{form}" + "\t_" * 7 + f"\t{misc or '_'}")
        for word in words:
            number += 1
            relation = "root" if number == 1 else "dep"
            columns = [str(number), word, *"____", str(number - 1), relation, "_"]
            lines.append("\t".join([*columns, "_" if inside else misc or "_"]))
    return "\n".join(lines) + "\n\n"


def text_of(*sentences: str) -> str:
    content = "".join(sentences).encode()
    text = evaluation.raw_text(evaluation.read(content))
    assert evaluation.validate(content, text=text).valid
    return text


def test_sentences_run_on_in_one_line() -> None:
    with_text = ("# text = Bees hum.",)
    first = sentence("Bees", "hum/SpaceAfter=No", ".", comments=with_text)
    assert text_of(first, first) == "Bees hum. Bees hum.\n"


def test_without_text_comments_the_tokens_are_not_given_away() -> None:
    first = sentence("Bees", "hum/SpaceAfter=No", ".")
    second = sentence("(/X=1|SpaceAfter=No", "It/SpaceAfter=No", ")")
    assert text_of(first, second) == "Bees hum. (It)\n"


def test_a_range_decides_whether_a_space_follows() -> None:
    """The words inside are no part of the text, and neither is what their MISC says."""
    inside = sentence("zum=zu+dem", "See").replace(
        "2\tdem\t_\t_\t_\t_\t1\tdep\t_\t_", "2\tdem\t_\t_\t_\t_\t1\tdep\t_\tSpaceAfter=No"
    )
    assert "SpaceAfter=No" in inside
    assert text_of(inside) == "zum See\n"
    assert text_of(sentence("don't=do+n't/SpaceAfter=No", "!")) == "don't!\n"


def test_no_space_follows_a_sentence_whose_last_token_says_so() -> None:
    first = sentence("駅/SpaceAfter=No", "。/SpaceAfter=No", comments=("# text = 駅。",))
    assert text_of(first, first) == "駅。駅。\n"


def test_spaces_inside_a_token_stay() -> None:
    assert text_of(sentence("Chợ", "mở cửa/SpaceAfter=No", ".")) == "Chợ mở cửa.\n"


@pytest.mark.parametrize("comment", ["# newdoc", "# newdoc id = a", "# newpar", "# newpar id = b", "#newpar"])
def test_documents_and_paragraphs_are_separated_by_a_blank_line(comment: str) -> None:
    first = sentence("One/SpaceAfter=No", comments=(comment, "# text = One"))
    second = sentence("Two", comments=("# text = Two",))
    third = sentence("Three", comments=("# newdoc id = x", comment, "# text = Three"))
    assert text_of(first, second, third) == "OneTwo\n\nThree\n"
    assert text_of(first, first) == "One\n\nOne\n"


def test_a_paragraph_may_begin_inside_a_sentence() -> None:
    first = sentence("Bees", "-/NewPar=Yes|SpaceAfter=No", "hum", comments=("# text = Bees -hum",))
    assert text_of(first, sentence("Yes/NewPar=Yes")) == "Bees\n\n-hum\n\nYes\n"


def test_spaces_after_a_token_are_those_of_spaces_after() -> None:
    first = sentence(r"a/SpacesAfter=\s\s", r"b/SpacesAfter=\t", r"c/SpacesAfter=\n")
    second = sentence(r"d/SpacesAfter=\n\n")
    assert text_of(first, second, sentence(r"e/SpacesAfter=\n")) == "a  b\tc\nd\n\ne\n"


@pytest.mark.parametrize("value", [r"\p", "x", r"\q", ""])
def test_spaces_after_a_token_that_are_no_white_space_are_one_space(value: str) -> None:
    assert text_of(sentence(f"a/SpacesAfter={value}", "b")) == "a b\n"


def test_other_comments_are_no_text() -> None:
    comments = ("# text_en = wrong", "# newparrot", "# newdocument", "# text = ")
    assert text_of(sentence("a"), sentence("b", comments=comments)) == "a b\n"


@pytest.mark.parametrize("path", DEMO, ids=lambda path: path.stem)
def test_the_demo_has_a_line_for_each_document(path: Path) -> None:
    treebank = evaluation.read(path)
    text = evaluation.raw_text(treebank)
    assert evaluation.check_test_set(treebank, text, "conll17").valid
    assert len(text.split("\n\n")) == len(set(treebank.documents.tolist()))
    assert leaked_segmentation(treebank, text) == frozenset()


def test_real_treebanks_give_their_own_characters(conll17: Path) -> None:
    for path in sorted(conll17.glob("*/gold.conllu")):
        treebank = evaluation.read(path)
        assert evaluation.check_test_set(treebank, evaluation.raw_text(treebank), "conll17").valid, path


def test_a_line_per_sentence_leaks_sentences() -> None:
    gold = evaluation.read((sentence("Bees", "hum") + sentence("Birds", "sing")).encode())
    assert leaked_segmentation(gold, "Bees hum\n\nBirds sing\n") == {Segmentation.SENTENCES}
    assert leaked_segmentation(gold, "Bees hum\r\nBirds sing") == {Segmentation.SENTENCES}
    assert leaked_segmentation(gold, "Bees hum Birds\nsing\n") == frozenset()
    assert leaked_segmentation(gold, "Bees hum Birds sing\n") == frozenset()
    assert leaked_segmentation(gold, "Bees\nhum\nBirds\nsing\n") == frozenset()


def test_one_sentence_has_no_boundary_to_leak() -> None:
    assert leaked_segmentation(evaluation.read(sentence("Bees", "hum").encode()), "Bees hum\n") == frozenset()


def test_a_space_after_each_token_leaks_tokens() -> None:
    gold = evaluation.read(sentence("Bees", "mở cửa/SpaceAfter=No", ".").encode())
    assert leaked_segmentation(gold, "Bees mởcửa .\n") == {Segmentation.TOKENS}
    assert leaked_segmentation(gold, "Bees mở cửa .\n") == {Segmentation.TOKENS}
    assert leaked_segmentation(gold, "Bees mở cửa.\n") == frozenset()


def test_tokens_that_stand_apart_in_gold_too_are_not_given_away() -> None:
    assert leaked_segmentation(evaluation.read(sentence("Bees", "hum").encode()), "Bees hum") == frozenset()
