"""Dependency trees as SVG: one tree, or gold above system with aligned words in the same columns.

CSS classes name the parts and `tree.css` styles them; without it the drawing is plain but complete. Errors
are marked by colour and also by dashes or weight. All text from files is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from ..reading.trees import ROOT
from .aligned_trees import AlignedTrees
from .glyphs import display_text
from .passage import Passage
from .svg import FORM_PX, SMALL_PX, text_element, text_width
from .tree_layout import Room, Side, levels, positions
from .words import Range, Tree, Word

STYLE = Path(__file__).with_name("tree.css").read_text(encoding="utf-8")

_GAP, _MARGIN, _ROUND = 12.0, 14.0, 6.0
# Arcs start beside the centre of a head, because the head's own arrow ends at its centre.
_ARC_OFFSET = 7.0
_LEVEL, _MAX_ARCS_HEIGHT, _ABOVE_ARCS = 19.0, 1400.0, 34.0
_TEXT_HEIGHT, _RANGE_HEIGHT, _BETWEEN, _CAPTION = 42.0, 24.0, 18.0, 16.0
_MAX_DESCRIPTION = 1500


def draw(tree: Tree, *, title: str, identifier: str = "tree", standalone: bool = False) -> str:
    """One tree. `identifier` must be unique on a page; `standalone` produces a complete SVG file."""
    rows = [(place,) for place in range(len(tree.words))]
    return _svg([("gold", "", tree)], rows, title, identifier, standalone)


def draw_both(passage: Passage, *, identifier: str = "", standalone: bool = False) -> str:
    """The gold tree of a passage above the system's."""
    title = f"Gold and system trees of sentence {passage.sentence + 1}"
    sides = [("gold", "gold", passage.gold), ("system", "system", passage.system)]
    identifier = identifier or f"sentence-{passage.sentence + 1}"
    return _svg(sides, passage.rows, title, identifier, standalone)


def draw_aligned(
    trees: AlignedTrees,
    names: Sequence[str],
    *,
    title: str,
    identifier: str = "tree",
    standalone: bool = False,
) -> str:
    """Gold at the top and the systems below; `names` are their captions, gold's first."""
    kinds = ["gold", *["system"] * (len(trees.trees) - 1)]
    sides = list(zip(kinds, names, trees.trees, strict=True))
    return _svg(sides, trees.rows, title, identifier, standalone)


def draw_pair(trees: AlignedTrees, names: Sequence[str], *, title: str, identifier: str = "tree") -> str:
    """Two trees of equal standing, of the classes `left` and `right`: neither looks like gold or wrong."""
    sides = list(zip(("left", "right"), names, trees.trees, strict=True))
    return _svg(sides, trees.rows, title, identifier, standalone=False)


def _svg(
    sides: Sequence[tuple[str, str, Tree]],
    rows: Sequence[Sequence[int | None]],
    title: str,
    identifier: str,
    standalone: bool,
) -> str:
    trees = [tree for _, _, tree in sides]
    centres, inner = positions(rows, [_measure(tree) for tree in trees], _GAP)
    is_mirrored = trees[0].is_right_to_left
    width = max(inner + 2 * _MARGIN, 120.0)
    parts: list[str] = []
    top = 4.0
    for (name, caption, tree), of_tree in zip(sides, centres, strict=True):
        xs = [width - _MARGIN - x if is_mirrored else _MARGIN + x for x in of_tree]
        parts.append(f'<g class="{name}">')
        if caption:
            x, anchor = (width - 4, "end") if is_mirrored else (4, "start")
            parts.append(text_element("side", x, top + 10, display_text(caption, 60), anchor=anchor))
            top += _CAPTION
        block = _Block(tree, xs, top, is_mirrored)
        parts.extend(block.parts())
        parts.append("</g>")
        top = block.bottom + _BETWEEN
    height = top - _BETWEEN + 6
    space = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    style = f"<style>{STYLE}</style>" if standalone else ""
    name = escape(identifier)
    description = "; ".join(
        f"{display_text(caption, 60) if caption else 'tree'}: {_describe(tree)}" for _, caption, tree in sides
    )
    return (
        f'<svg{space} class="tree" role="img" direction="ltr" aria-labelledby="{name}-title {name}-desc" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>{style}{"".join(parts)}</svg>'
    )


def _measure(tree: Tree) -> Side:
    """The space that each word, label and range needs."""
    widths, rooms = [], []
    for place, word in enumerate(tree.words):
        label = text_width(word.relation, SMALL_PX)
        width = max(text_width(word.form, FORM_PX), text_width(word.upos, SMALL_PX))
        if word.head < 0:
            width = max(width, label)
        else:
            left, right = sorted((place, word.head))
            rooms.append(Room(left, right, 1.06 * label + _ARC_OFFSET + 2 * _ROUND))
        widths.append(width)
    for token in tree.ranges:
        needed = text_width(token.form, SMALL_PX + 1) + 8
        if token.first == token.last:
            widths[token.first] = max(widths[token.first], needed)
        else:
            outer = (widths[token.first] + widths[token.last]) / 2
            rooms.append(Room(token.first, token.last, needed - outer))
    return Side(widths, rooms)


class _Block:
    """One tree at its position in the drawing."""

    def __init__(self, tree: Tree, xs: Sequence[float], top: float, is_mirrored: bool) -> None:
        self._tree, self._xs, self._top = tree, xs, top
        self._direction = ' direction="rtl"' if is_mirrored else ""
        self._levels = levels(tree)
        highest = max(self._levels, default=0)
        # A hostile tree may nest its arcs a thousand deep; then the levels are closer together.
        self._step = min(_LEVEL, _MAX_ARCS_HEIGHT / max(highest, 1))
        self._baseline = top + _ABOVE_ARCS + highest * self._step
        self.bottom = self._baseline + _TEXT_HEIGHT + (_RANGE_HEIGHT if tree.ranges else 0)

    def parts(self) -> Iterator[str]:
        for place, word in enumerate(self._tree.words):
            if word.begins_sentence and place:
                yield self._boundary(place)
        for place, word in enumerate(self._tree.words):
            yield self._arc(place, word)
        for place, word in enumerate(self._tree.words):
            yield self._word(place, word)
        for token in self._tree.ranges:
            yield self._range(token)

    def _boundary(self, place: int) -> str:
        x = (self._xs[place - 1] + self._xs[place]) / 2
        return f'<path class="boundary" d="M{x:.1f} {self._top:.1f}V{self.bottom:.1f}"/>'

    def _arc(self, place: int, word: Word) -> str:
        x, baseline, level = self._xs[place], self._baseline, self._levels[place]
        if word.head < 0:
            y, middle = self._top + 16, x
            line = f"M{x:.1f} {y:.1f}V{baseline - 6:.1f}"
        else:
            direction = 1 if x > self._xs[word.head] else -1
            start, bend = self._xs[word.head] + direction * _ARC_OFFSET, direction * _ROUND
            y, middle = baseline - 6 - level * self._step, (start + x) / 2
            line = (
                f"M{start:.1f} {baseline:.1f}V{y + _ROUND:.1f}Q{start:.1f} {y:.1f} {start + bend:.1f} {y:.1f}"
                f"H{x - bend:.1f}Q{x:.1f} {y:.1f} {x:.1f} {y + _ROUND:.1f}V{baseline - 6:.1f}"
            )
        label = word.relation if word.head != ROOT or word.relation else "root"
        classes = _classes(
            "arc", word, "root" if word.head == ROOT else "", "cut" if word.head < ROOT else ""
        )
        tip = f"M{x - 3.5:.1f} {baseline - 7:.1f}L{x:.1f} {baseline:.1f}L{x + 3.5:.1f} {baseline - 7:.1f}Z"
        shortened = "…" if word.head < ROOT else ""
        text = text_element("label", middle, y - 4, shortened + display_text(label))
        return (
            f'<g class="{classes}"><path d="{line}" fill="none" stroke="currentColor"/>'
            f'<path class="tip" d="{tip}"/>{text}</g>'
        )

    def _word(self, place: int, word: Word) -> str:
        x, half = self._xs[place], text_width(word.form, FORM_PX) / 2 + 2
        box = (
            f'<rect class="box" x="{x - half:.1f}" y="{self._baseline + 3:.1f}" '
            f'width="{2 * half:.1f}" height="20" rx="3" fill="none"/>'
        )
        form = text_element(
            "form", x, self._baseline + 18, display_text(word.form), FORM_PX, more=self._direction
        )
        tag = text_element("tag", x, self._baseline + 35, display_text(word.upos))
        return f'<g class="{_classes("word", word)}">{box}{form}{tag}</g>'

    def _range(self, token: Range) -> str:
        words = self._tree.words
        ends = [(self._xs[n], text_width(words[n].form, FORM_PX) / 2) for n in (token.first, token.last)]
        left, right = min(x - half for x, half in ends), max(x + half for x, half in ends)
        y = self._baseline + 42
        line = f"M{left:.1f} {y - 4:.1f}V{y:.1f}H{right:.1f}V{y - 4:.1f}"
        text = text_element(
            "",
            (left + right) / 2,
            y + 14,
            display_text(token.form),
            SMALL_PX + 1,
            more=self._direction,
        )
        return f'<g class="range"><path d="{line}" fill="none" stroke="currentColor"/>{text}</g>'


def _classes(kind: str, word: Word, *more: str) -> str:
    judgement = word.judgement
    names = [kind, *more, *(f"wrong-{key}" for key in ("head", "relation", "upos") if key in judgement.wrong)]
    names.append(judgement.effect)
    if not judgement.is_aligned:
        names.append("unaligned")
    if not judgement.is_inside:
        names.append("beyond")
    return " ".join(filter(None, names))


def _describe(tree: Tree) -> str:
    """The tree as text, for screen readers."""
    words = tree.words
    parts: list[str] = []
    length = 0
    for word in words:
        form = display_text(word.form)
        if word.head == ROOT:
            part = f"{form} is the root"
        else:
            head = display_text(words[word.head].form) if word.head >= 0 else "a word not shown"
            part = f"{form} is {display_text(word.relation)} of {head}"
        length += len(part)
        if length > _MAX_DESCRIPTION:
            return ", ".join([*parts, "and so on"])
        parts.append(part)
    return ", ".join(parts)
