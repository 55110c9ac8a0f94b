"""Trees as SVG: safe, complete, readable; and errors are visible without colour."""

import re
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from playwright.sync_api import Page

import evaluation
from evaluation.showing.draw import STYLE, draw, draw_both
from evaluation.showing.glyphs import display_text, em_width, is_right_to_left, terminal_width
from evaluation.showing.passage import Passages
from evaluation.showing.tree_layout import levels
from evaluation.showing.words import Tree, tree_of
from tests.evaluation.small_files import comparison, conllu, star

DEMO = Path(__file__).parents[3] / "demo" / "gold"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>&\"'"


def _tree(text: str) -> Tree:
    return tree_of(evaluation.read(conllu(text)), 0)


def _drawn(tree: Tree) -> ElementTree.Element:
    return ElementTree.fromstring(draw(tree, title="A tree", standalone=True))


def _texts(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter(f"{SVG}text") if element.get("class") == name]


def _xs(root: ElementTree.Element) -> list[float]:
    return [float(element.get("x", "")) for element in _texts(root, "form")]


def _classes(root: ElementTree.Element, kind: str) -> list[set[str]]:
    parts = [set(element.get("class", "").split()) for element in root.iter(f"{SVG}g")]
    return [classes for classes in parts if kind in classes]


def test_words_tags_and_relations_are_all_written() -> None:
    root = _drawn(_tree("1 The DET 2 det\n2 cat NOUN 0 root"))
    assert [text.text for text in _texts(root, "form")] == ["The", "cat"]
    assert [text.text for text in _texts(root, "tag")] == ["DET", "NOUN"]
    assert [text.text for text in _texts(root, "label")] == ["det", "root"]
    assert [bool(classes & {"root"}) for classes in _classes(root, "arc")] == [False, True]


def test_markup_in_a_file_is_text_and_not_markup() -> None:
    file = conllu("1 a X 0 root").replace(b"\ta\ta\tX", f"\t{HOSTILE}\ta\t{HOSTILE}".encode())
    file = file.replace(b"\troot\t", f"\troot{HOSTILE}\t".encode())
    drawing = draw(
        tree_of(evaluation.read(file), 0), title=HOSTILE, identifier='x" onload="y', standalone=True
    )
    root = ElementTree.fromstring(drawing)
    assert _texts(root, "form")[0].text == HOSTILE
    assert not list(root.iter(f"{SVG}script")) and not root.get("onload")
    assert "<script" not in drawing


@pytest.mark.parametrize("odd", ["\x00", "\x1b[31m", "\u202e", "\ufffe", "\u2028", "\x7f", "\U0001fffe"])
def test_characters_that_xml_forbids_or_that_move_others_are_made_visible(odd: str) -> None:
    file = conllu("1 ab X 0 root").replace(b"ab\tab", f"a{odd}b\tab".encode())
    text = _texts(_drawn(tree_of(evaluation.read(file), 0)), "form")[0].text
    assert text is not None
    assert text.startswith("a") and text.endswith("b") and text.isprintable() and len(text) > 2


def test_what_is_shown_has_no_escape_keeps_joiners_and_is_never_empty() -> None:
    assert display_text("می\u200cروم") == "می\u200cروم"
    assert display_text("\u0301") == "◌\u0301"
    assert display_text("x" * 1000, 10) == "x" * 9 + "…"
    assert display_text("") == "∅"


def test_widths_know_wide_letters_and_marks() -> None:
    assert em_width("漢字") > 1.5 * em_width("ab")
    assert em_width("e\u0301\u0302") == em_width("e")
    assert (terminal_width("漢字"), terminal_width("e\u0301"), terminal_width("ab")) == (4, 1, 2)


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (["abc", "שלום"], False),
        (["שלום", "abc"], True),
        (["12", "!", "سوق"], True),
        (["12", "!", "a"], False),
        (["12"], False),
    ],
)
def test_direction_follows_the_first_strong_character(forms: list[str], expected: bool) -> None:
    assert is_right_to_left(forms) is expected


def test_right_to_left_sentences_run_from_right_to_left() -> None:
    hebrew = _xs(_drawn(_tree("1 שלום NOUN 0 root\n2 עולם NOUN 1 nmod\n3 ! PUNCT 1 punct")))
    english = _xs(_drawn(_tree("1 hello NOUN 0 root\n2 world NOUN 1 nmod\n3 ! PUNCT 1 punct")))
    assert hebrew == sorted(hebrew, reverse=True)
    assert english == sorted(english)


def test_crossing_arcs_have_different_levels_and_long_ones_pass_above() -> None:
    assert levels(_tree("1 a X 3 dep\n2 b X 0 root\n3 c X 2 dep\n4 d X 1 dep")) == [2, 0, 1, 3]


def test_ranges_are_bracketed_also_over_one_word_and_over_an_empty_form() -> None:
    root = _drawn(_tree("1-2 zum\n1 zu ADP 3 case\n2 ~ DET 3 det\n3-3 Markt\n3 Markt NOUN 0 root"))
    ranges = [element for element in root.iter(f"{SVG}g") if element.get("class") == "range"]
    assert [held.findtext(f"{SVG}text") for held in ranges] == ["zum", "Markt"]
    assert _texts(root, "form")[1].text == "∅"


def test_what_is_wrong_is_marked_by_class_on_both_sides() -> None:
    gold = "1 a X 2 det\n2 b X 0 root\n3 c X 2 obj\n4 d X 2 obl\n5 e. X 2 dep"
    system = "1 a Y 3 det\n2 b X 0 root\n3 c X 2 obl\n4 d X 2 obl\n5 e X 2 dep\n6 . X 2 punct"
    root = ElementTree.fromstring(
        draw_both(Passages(comparison(gold, system)).passage_of(0), standalone=True)
    )
    sides = {element.get("class"): element for element in root if element.tag == f"{SVG}g"}
    marks = {name: [classes - {"arc"} for classes in _classes(side, "arc")] for name, side in sides.items()}
    expected = [{"wrong-head", "wrong-upos"}, {"root"}, {"wrong-relation"}, set(), {"unaligned"}]
    assert marks["gold"] == expected
    assert marks["system"] == [*expected, {"unaligned"}]


def test_every_mark_of_the_system_has_a_dash_or_a_weight_besides_its_colour() -> None:
    for mark in ("wrong-head", "wrong-relation", "unaligned"):
        rules = re.findall(rf"\.system [^{{}}]*\.{mark}[^{{}}]* path \{{([^}}]*)\}}", STYLE)
        assert any("stroke-dasharray" in rule for rule in rules), mark
    assert "stroke-dasharray: 2 4" in STYLE
    assert re.search(r"\.wrong-upos \.tag \{[^}]*underline", STYLE)


def test_partners_are_drawn_above_each_other() -> None:
    gold = "1 New X 2 flat\n2 York X 0 root\n3 burns VERB 2 dep"
    system = "1 NewYork X 2 nsubj\n2 burns VERB 0 root"
    root = ElementTree.fromstring(
        draw_both(Passages(comparison(gold, system)).passage_of(0), standalone=True)
    )
    xs = _xs(root)
    assert xs[2] == xs[4]


def test_a_head_beyond_the_passage_and_a_sentence_boundary_are_drawn() -> None:
    gold = "\n\n".join(["1 a X 0 root"] * 40)
    system = "\n".join(["1 a X 0 root", *(f"{n} a X 1 dep" for n in range(2, 41))])
    root = ElementTree.fromstring(
        draw_both(Passages(comparison(gold, system)).passage_of(30), standalone=True)
    )
    assert any("cut" in classes for classes in _classes(root, "arc"))
    split = Passages(comparison("1 a X 0 root\n2 b X 1 dep", "1 a X 0 root\n\n1 b X 0 root")).passage_of(0)
    assert 'class="boundary"' in draw_both(split)


def test_drawings_have_a_description_for_screen_readers() -> None:
    root = _drawn(_tree("1 The DET 2 det\n2 cat NOUN 0 root"))
    assert root.get("role") == "img"
    named = [root.find(f"{SVG}title"), root.find(f"{SVG}desc")]
    assert root.get("aria-labelledby", "").split() == [e.get("id") for e in named if e is not None]
    assert named[1] is not None and named[1].text == "tree: The is det of cat, cat is the root"


def _chain(words: int) -> str:
    return "\n".join(f"{n} w{n} X {n - 1} {'dep' if n > 1 else 'root'}" for n in range(1, words + 1))


def _nested(words: int) -> str:
    """The root in the middle, dependents in turns on its left and right: arcs nest as deep as can be."""
    middle = words // 2
    heads = {middle: 0}
    order = sorted(range(1, words + 1), key=lambda n: (abs(n - middle), n))
    heads.update(zip(order[1:], order, strict=False))
    return "\n".join(f"{n} w{n} X {heads[n]} {'dep' if heads[n] else 'root'}" for n in range(1, words + 1))


@pytest.mark.parametrize("shape", [star, _chain, _nested])
def test_five_thousand_words_are_drawn_wide_but_not_high(shape: object) -> None:
    tree = _tree(shape(5000))  # type: ignore[operator]
    begin = time.perf_counter()
    root = _drawn(tree)
    assert time.perf_counter() - begin < 10
    assert len(_texts(root, "form")) == 5000
    assert float(root.get("width", "")) > 50_000
    assert float(root.get("height", "")) < 2000


@pytest.mark.browser
@pytest.mark.parametrize("name", ["ar_suq", "cs_par", "de_garten", "en_par", "vi_cho"])
def test_neither_words_nor_labels_overlap_in_a_browser(name: str, page: Page) -> None:
    treebank = evaluation.read(DEMO / f"{name}.conllu")
    drawings = [draw(tree_of(treebank, n), title="t", identifier=f"t{n}") for n in range(treebank.sentences)]
    page.set_content(f"<meta charset=utf-8><style>{STYLE}</style>{'<br>'.join(drawings)}")
    overlapping = page.evaluate(
        """() => [...document.querySelectorAll('svg')].flatMap(svg => {
            const boxes = [...svg.querySelectorAll('.form, .tag, .label, .range text')].map(
                element => [element.textContent, element.getBBox()]);
            const found = [];
            for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
                const [[a, p], [b, q]] = [boxes[i], boxes[j]];
                const across = Math.min(p.x + p.width, q.x + q.width) - Math.max(p.x, q.x);
                const down = Math.min(p.y + p.height, q.y + q.height) - Math.max(p.y, q.y);
                // Boxes include the room above and below letters; only what the letters share is an overlap.
                if (across > 1 && down > 5) found.push(`${a} / ${b}`);
            }
            return found;
        })"""
    )
    assert overlapping == []
