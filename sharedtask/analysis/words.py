"""The words of a sentence as a table: gold's columns, and what each system says otherwise.

In: `AlignedTrees`, gold and some systems. Out: rows for the page. What is wrong is told in words and a sign,
for colour alone tells nothing to some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.reading.layout import FEATS, LEMMA, XPOS
from evaluation.showing.aligned_trees import AlignedTrees
from evaluation.showing.glyphs import display_text
from evaluation.showing.words import Tree, Word


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What one system says of a word. An empty `sign` stands for agreement, `text` then says nothing."""

    sign: str = ""
    kind: str = ""
    text: str = ""
    wrong: str = ""
    """What is wrong, in words."""


@dataclass(frozen=True, kw_only=True)
class Row:
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
    cells: tuple[Cell, ...]


def rows_of(shown_together: AlignedTrees) -> Iterator[Row]:
    gold, *systems = shown_together.trees
    for place, *places in shown_together.rows:
        word = gold.words[place] if place is not None else None
        others = [
            tree.words[at] if at is not None else None for tree, at in zip(systems, places, strict=True)
        ]
        yield row(word, gold, others, systems)


def row(word: Word | None, gold: Tree, others: Sequence[Word | None], systems: Sequence[Tree]) -> Row:
    said = word or next(other for other in others if other is not None)
    pairs = zip(others, systems, strict=True)
    return Row(
        id=display_text(said.id) if word else "",
        form=display_text(said.form),
        lemma=display_text(word.columns[LEMMA]) if word else "",
        upos=display_text(word.upos) if word else "",
        xpos=display_text(word.columns[XPOS]) if word else "",
        feats=display_text(word.columns[FEATS], 120) if word else "",
        head=display_text(word.head_id) if word else "",
        head_form=head_form(word, gold) if word else "",
        relation=display_text(word.relation) if word else "",
        is_gold=word is not None,
        cells=tuple(cell(word, other, tree) for other, tree in pairs),
    )


def cell(word: Word | None, other: Word | None, tree: Tree) -> Cell:
    if other is None:
        return Cell(sign="−", kind="missed", wrong="not found") if word else Cell(kind="none")
    judgement = other.judgement
    if not judgement.is_inside:
        return Cell(sign="·", kind="beyond", text=arc(other, tree), wrong="beyond the gold sentence")
    if not judgement.is_aligned:
        return Cell(sign="+", kind="extra", text=arc(other, tree), wrong="only in the system")
    if not judgement.wrong:
        return Cell()
    wrong = [key for key in ("head", "relation", "upos") if key in judgement.wrong]
    said = arc(other, tree) if {"head", "relation"} & judgement.wrong else ""
    tag = display_text(other.upos) if "upos" in judgement.wrong else ""
    named = {"upos": "UPOS"}
    return Cell(
        sign="✗" if said else "≠",
        kind="wrong" if said else "tag",
        text=", ".join(filter(None, (said, tag))),
        wrong="wrong " + " and ".join(named.get(key, key) for key in wrong),
    )


def arc(word: Word, tree: Tree) -> str:
    """Its relation and its head, by the head's form: numbers of words differ between the files."""
    head = head_form(word, tree)
    return f"{display_text(word.relation)} of {head}" if head else display_text(word.relation)


def head_form(word: Word, tree: Tree) -> str:
    if 0 <= word.head < len(tree.words):
        return display_text(tree.words[word.head].form)
    return "" if word.head_id == "0" else "…"
