"""Dependency trees as SVG: one tree, or gold above system with partners in the same columns.

Classes say what a thing is and `tree.css` how it looks; without that sheet the drawing is plain but whole.
What is wrong is told by colour and by dashes or weight. Nothing from a file gets into the markup unescaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from ..reading.trees import ROOT
from .arrange import Room, Side, levels, positions
from .glyphs import em_width, shown
from .passage import Passage
from .together import Together
from .words import Range, Tree, Word

STYLE = Path(__file__).with_name("tree.css").read_text(encoding="utf-8")

_FORM_PX, _SMALL_PX = 15, 11
_GAP, _MARGIN, _ROUND = 12.0, 14.0, 6.0
# Arcs leave a head beside its centre, where the head's own arrow arrives.
_BESIDE = 7.0
_LEVEL, _MAX_ARCS_HEIGHT, _ABOVE_ARCS = 19.0, 1400.0, 34.0
_TEXT_HEIGHT, _RANGE_HEIGHT, _BETWEEN, _CAPTION = 42.0, 24.0, 18.0, 16.0
_MAX_DESCRIPTION = 1500


def draw(tree: Tree, *, title: str, identifier: str = "tree", standalone: bool = False) -> str:
    """One tree by itself. `identifier` must be unique on a page; `standalone` makes a file of its own."""
    rows = [(place,) for place in range(len(tree.words))]
    return _svg([("gold", "", tree)], rows, title, identifier, standalone)


def draw_both(passage: Passage, *, identifier: str = "", standalone: bool = False) -> str:
    """The gold tree of a passage above the system's."""
    title = f"Gold and system trees of sentence {passage.sentence + 1}"
    sides = [("gold", "gold", passage.gold), ("system", "system", passage.system)]
    identifier = identifier or f"sentence-{passage.sentence + 1}"
    return _svg(sides, passage.rows, title, identifier, standalone)


def draw_together(
    shown: Together, names: Sequence[str], *, title: str, identifier: str = "tree", standalone: bool = False
) -> str:
    """Gold on top and the systems below it; `names` are their captions, gold's first."""
    kinds = ["gold", *["system"] * (len(shown.trees) - 1)]
    sides = list(zip(kinds, names, shown.trees, strict=True))
    return _svg(sides, shown.rows, title, identifier, standalone)


def _svg(
    sides: Sequence[tuple[str, str, Tree]],
    rows: Sequence[Sequence[int | None]],
    title: str,
    identifier: str,
    standalone: bool,
) -> str:
    trees = [tree for _, _, tree in sides]
    centres, inner = positions(rows, [_measured(tree) for tree in trees], _GAP)
    is_mirrored = trees[0].is_right_to_left
    width = max(inner + 2 * _MARGIN, 120.0)
    parts: list[str] = []
    top = 4.0
    for (name, caption, tree), of_tree in zip(sides, centres, strict=True):
        xs = [width - _MARGIN - x if is_mirrored else _MARGIN + x for x in of_tree]
        parts.append(f'<g class="{name}">')
        if caption:
            x, anchor = (width - 4, "end") if is_mirrored else (4, "start")
            parts.append(_text("side", x, top + 10, shown(caption, 60), anchor=anchor))
            top += _CAPTION
        block = _Block(tree, xs, top, is_mirrored)
        parts.extend(block.parts())
        parts.append("</g>")
        top = block.bottom + _BETWEEN
    height = top - _BETWEEN + 6
    space = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    style = f"<style>{STYLE}</style>" if standalone else ""
    name = escape(identifier)
    told = "; ".join(
        f"{shown(caption, 60) if caption else 'tree'}: {_told(tree)}" for _, caption, tree in sides
    )
    return (
        f'<svg{space} class="tree" role="img" direction="ltr" aria-labelledby="{name}-title {name}-desc" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(told)}</desc>{style}'
        f"{''.join(parts)}</svg>"
    )


def _measured(tree: Tree) -> Side:
    """What each word, label and range needs."""
    widths, rooms = [], []
    for place, word in enumerate(tree.words):
        label = _width(word.relation, _SMALL_PX)
        width = max(_width(word.form, _FORM_PX), _width(word.upos, _SMALL_PX))
        if word.head < 0:
            width = max(width, label)
        else:
            left, right = sorted((place, word.head))
            rooms.append(Room(left, right, 1.06 * label + _BESIDE + 2 * _ROUND))
        widths.append(width)
    for held in tree.ranges:
        needed = _width(held.form, _SMALL_PX + 1) + 8
        if held.first == held.last:
            widths[held.first] = max(widths[held.first], needed)
        else:
            outer = (widths[held.first] + widths[held.last]) / 2
            rooms.append(Room(held.first, held.last, needed - outer))
    return Side(widths, rooms)


class _Block:
    """One tree at its place."""

    def __init__(self, tree: Tree, xs: Sequence[float], top: float, is_mirrored: bool) -> None:
        self._tree, self._xs, self._top = tree, xs, top
        self._direction = ' direction="rtl"' if is_mirrored else ""
        self._levels = levels(tree)
        highest = max(self._levels, default=0)
        # A hostile tree may nest its arcs a thousand deep; then they stand closer.
        self._step = min(_LEVEL, _MAX_ARCS_HEIGHT / max(highest, 1))
        self._foot = top + _ABOVE_ARCS + highest * self._step
        self.bottom = self._foot + _TEXT_HEIGHT + (_RANGE_HEIGHT if tree.ranges else 0)

    def parts(self) -> Iterator[str]:
        for place, word in enumerate(self._tree.words):
            if word.begins_sentence and place:
                yield self._boundary(place)
        for place, word in enumerate(self._tree.words):
            yield self._arc(place, word)
        for place, word in enumerate(self._tree.words):
            yield self._word(place, word)
        for held in self._tree.ranges:
            yield self._range(held)

    def _boundary(self, place: int) -> str:
        x = (self._xs[place - 1] + self._xs[place]) / 2
        return f'<path class="boundary" d="M{x:.1f} {self._top:.1f}V{self.bottom:.1f}"/>'

    def _arc(self, place: int, word: Word) -> str:
        x, foot, level = self._xs[place], self._foot, self._levels[place]
        if word.head < 0:
            y, middle = self._top + 16, x
            line = f"M{x:.1f} {y:.1f}V{foot - 6:.1f}"
        else:
            toward = 1 if x > self._xs[word.head] else -1
            start, bend = self._xs[word.head] + toward * _BESIDE, toward * _ROUND
            y, middle = foot - 6 - level * self._step, (start + x) / 2
            line = (
                f"M{start:.1f} {foot:.1f}V{y + _ROUND:.1f}Q{start:.1f} {y:.1f} {start + bend:.1f} {y:.1f}"
                f"H{x - bend:.1f}Q{x:.1f} {y:.1f} {x:.1f} {y + _ROUND:.1f}V{foot - 6:.1f}"
            )
        label = word.relation if word.head != ROOT or word.relation else "root"
        classes = _classes(
            "arc", word, "root" if word.head == ROOT else "", "cut" if word.head < ROOT else ""
        )
        tip = f"M{x - 3.5:.1f} {foot - 7:.1f}L{x:.1f} {foot:.1f}L{x + 3.5:.1f} {foot - 7:.1f}Z"
        shortened = "…" if word.head < ROOT else ""
        return (
            f'<g class="{classes}"><path d="{line}" fill="none" stroke="currentColor"/>'
            f'<path class="tip" d="{tip}"/>{_text("label", middle, y - 4, shortened + shown(label))}</g>'
        )

    def _word(self, place: int, word: Word) -> str:
        x, half = self._xs[place], _width(word.form, _FORM_PX) / 2 + 2
        box = (
            f'<rect class="box" x="{x - half:.1f}" y="{self._foot + 3:.1f}" '
            f'width="{2 * half:.1f}" height="20" rx="3" fill="none"/>'
        )
        form = _text("form", x, self._foot + 18, shown(word.form), _FORM_PX, more=self._direction)
        tag = _text("tag", x, self._foot + 35, shown(word.upos))
        return f'<g class="{_classes("word", word)}">{box}{form}{tag}</g>'

    def _range(self, held: Range) -> str:
        words = self._tree.words
        ends = [(self._xs[n], _width(words[n].form, _FORM_PX) / 2) for n in (held.first, held.last)]
        left, right = min(x - half for x, half in ends), max(x + half for x, half in ends)
        y = self._foot + 42
        line = f"M{left:.1f} {y - 4:.1f}V{y:.1f}H{right:.1f}V{y - 4:.1f}"
        text = _text("", (left + right) / 2, y + 14, shown(held.form), _SMALL_PX + 1, more=self._direction)
        return f'<g class="range"><path d="{line}" fill="none" stroke="currentColor"/>{text}</g>'


def _classes(kind: str, word: Word, *more: str) -> str:
    judgement = word.judgement
    found = [kind, *more, *(f"wrong-{key}" for key in ("head", "relation", "upos") if key in judgement.wrong)]
    if not judgement.is_aligned:
        found.append("unaligned")
    if not judgement.is_inside:
        found.append("beyond")
    return " ".join(filter(None, found))


def _text(
    name: str, x: float, y: float, text: str, size: int = _SMALL_PX, *, anchor: str = "middle", more: str = ""
) -> str:
    # Runs of spaces would collapse, and a form of Vietnamese may well hold one.
    kept = escape(text.replace(" ", "\u00a0"))
    named = f' class="{name}"' if name else ""
    return (
        f'<text{named} x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{more}>{kept}</text>'
    )


def _width(text: str, size: int) -> float:
    return em_width(shown(text)) * size


def _told(tree: Tree) -> str:
    """The tree in words, for those who hear it."""
    words = tree.words
    parts: list[str] = []
    length = 0
    for word in words:
        form = shown(word.form)
        if word.head == ROOT:
            part = f"{form} is the root"
        else:
            head = shown(words[word.head].form) if word.head >= 0 else "a word not shown"
            part = f"{form} is {shown(word.relation)} of {head}"
        length += len(part)
        if length > _MAX_DESCRIPTION:
            return ", ".join([*parts, "and so on"])
        parts.append(part)
    return ", ".join(parts)
