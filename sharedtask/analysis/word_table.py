"""The words of a sentence as a table: the columns of gold, and where each system differs.

In: `AlignedTrees`, gold and some systems. Out: rows for the page. Every error is marked by a sign and
described in words, because not everybody sees colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.reading.layout import FEATS, LEMMA, XPOS
from evaluation.showing.aligned_trees import AlignedTrees
from evaluation.showing.glyphs import display_text
from evaluation.showing.words import Tree, Word

LONGEST_FEATURES = 120


@dataclass(frozen=True, kw_only=True)
class SystemCell:
    """A system's analysis of a word. If `sign` is empty, it is that of gold, and `text` is empty too."""

    sign: str = ""
    kind: str = ""
    text: str = ""
    wrong: str = ""
    """What is wrong, in words."""


@dataclass(frozen=True, kw_only=True)
class WordRow:
    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    head_form: str
    relation: str
    is_gold: bool
    cells: tuple[SystemCell, ...]


def word_rows(trees: AlignedTrees) -> Iterator[WordRow]:
    gold, *systems = trees.trees
    for place, *places in trees.rows:
        word = gold.words[place] if place is not None else None
        partners = [
            tree.words[at] if at is not None else None for tree, at in zip(systems, places, strict=True)
        ]
        yield word_row(word, gold, partners, systems)


def word_row(
    word: Word | None, gold: Tree, partners: Sequence[Word | None], systems: Sequence[Tree]
) -> WordRow:
    """Without a gold word, the row has only the form of the first system that has a word here."""
    cells = tuple(system_cell(word, partner, tree) for partner, tree in zip(partners, systems, strict=True))
    if word is None:
        form = next(partner.form for partner in partners if partner is not None)
        nothing = dict.fromkeys(("id", "lemma", "upos", "xpos", "feats", "head", "head_form", "relation"), "")
        return WordRow(form=display_text(form), is_gold=False, cells=cells, **nothing)
    return WordRow(
        id=display_text(word.id),
        form=display_text(word.form),
        lemma=display_text(word.columns[LEMMA]),
        upos=display_text(word.upos),
        xpos=display_text(word.columns[XPOS]),
        feats=display_text(word.columns[FEATS], LONGEST_FEATURES),
        head=display_text(word.head_id),
        head_form=head_form(word, gold),
        relation=display_text(word.relation),
        is_gold=True,
        cells=cells,
    )


def system_cell(word: Word | None, partner: Word | None, tree: Tree) -> SystemCell:
    if partner is None:
        return SystemCell(sign="−", kind="missed", wrong="not found") if word else SystemCell(kind="none")
    judgement = partner.judgement
    if not judgement.is_inside:
        return SystemCell(sign="·", kind="beyond", text=arc(partner, tree), wrong="outside the gold sentence")
    if not judgement.is_aligned:
        return SystemCell(sign="+", kind="extra", text=arc(partner, tree), wrong="only in the system")
    if not judgement.wrong:
        return SystemCell()
    wrong_arc = arc(partner, tree) if {"head", "relation"} & judgement.wrong else ""
    wrong_tag = display_text(partner.upos) if "upos" in judgement.wrong else ""
    names = {"head": "head", "relation": "relation", "upos": "UPOS"}
    return SystemCell(
        sign="✗" if wrong_arc else "≠",
        kind="wrong" if wrong_arc else "tag",
        text=", ".join(filter(None, (wrong_arc, wrong_tag))),
        wrong="wrong " + " and ".join(name for key, name in names.items() if key in judgement.wrong),
    )


def arc(word: Word, tree: Tree) -> str:
    """Its relation and the form of its head, because the numbers of words differ between the files."""
    head = head_form(word, tree)
    return f"{display_text(word.relation)} of {head}" if head else display_text(word.relation)


def head_form(word: Word, tree: Tree) -> str:
    if 0 <= word.head < len(tree.words):
        return display_text(tree.words[word.head].form)
    return "" if word.head_id == "0" else "…"
