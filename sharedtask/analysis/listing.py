"""One page of the list of sentences.

In: an opened field and the number of the page. Out: `Listing`, some dozens of lines.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator

from evaluation.showing.glyphs import display_text
from sharedtask.analysis.opened import Opened

LINES = 40
LONGEST = 240


@dataclass(frozen=True, kw_only=True)
class Line:
    number: int
    """From 1."""
    id: str
    text: str
    words: int
    nonprojective: bool
    cut: bool
    """Somebody whose errors are asked about cuts it into other words or sentences."""
    errors: tuple[int, ...]
    """Of each chosen system."""
    mean: float
    """Errors of all ranked systems together, by their number."""
    wrong: int
    """How many of the ranked systems have an error in it."""


@dataclass(frozen=True, kw_only=True)
class Listing:
    page: Page[int]
    lines: list[Line]
    total: int
    ranked: int


def listing(opened: Opened, page: str | None) -> Listing:
    numbers = Paginator(opened.found.numbers.tolist(), LINES).get_page(page)
    return Listing(
        page=numbers,
        lines=[line(opened, number) for number in numbers],
        total=len(opened.field.sentences.words),
        ranked=len(opened.field.ranked),
    )


def line(opened: Opened, number: int) -> Line:
    gold = opened.field.sentences
    chosen = [opened.sentences[one.analysis] for one in opened.chosen]
    ranked = [opened.sentences[one.analysis] for one in opened.field.ranked]
    return Line(
        number=number + 1,
        id=display_text(gold.ids[number], 60) if gold.ids[number] else "",
        text=display_text(gold.texts[number], LONGEST),
        words=int(gold.words[number]),
        nonprojective=bool(gold.nonprojective[number]),
        cut=any(one.words_differ[number] or one.sentence_differs[number] for one in chosen),
        errors=tuple(int(one.errors[number]) for one in chosen),
        mean=sum(int(one.errors[number]) for one in ranked) / max(len(ranked), 1),
        wrong=sum(bool(one.errors[number]) for one in ranked),
    )
