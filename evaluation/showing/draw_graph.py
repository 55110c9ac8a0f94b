"""Enhanced graphs as SVG, one below the other: all edges of every word, and empty nodes in italics.

The classes are those of `draw.py` and styled by the same `tree.css`. A wrong edge is dashed as well as
coloured. All text from files is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from ..reading.trees import ROOT
from .draw import STYLE
from .glyphs import display_text, is_right_to_left
from .graphs import Graph, GraphEdge
from .svg import FORM_PX, SMALL_PX, text_element, text_width
from .tree_layout import Room, Side, positions

_GAP, _MARGIN, _ROUND, _SPREAD = 12.0, 14.0, 6.0, 6.0
_LEVEL, _MAX_ARCS_HEIGHT, _ABOVE, _TEXT_HEIGHT, _BETWEEN, _CAPTION = 19.0, 1400.0, 34.0, 42.0, 18.0, 16.0
_MAX_DESCRIPTION = 1500


def draw_graphs(
    graphs: Sequence[Graph],
    names: Sequence[str],
    *,
    title: str,
    identifier: str = "graph",
    standalone: bool = False,
) -> str:
    """Gold at the top and the systems below; `names` are their captions, gold's first."""
    is_mirrored = is_right_to_left(node.form for node in graphs[0].nodes)
    laid_out = [_positions(graph) for graph in graphs]
    width = max(120.0, *(inner + 2 * _MARGIN for _, inner in laid_out))
    parts: list[str] = []
    top = 4.0
    for number, (graph, name, (centres, _)) in enumerate(zip(graphs, names, laid_out, strict=True)):
        xs = [width - _MARGIN - x if is_mirrored else _MARGIN + x for x in centres]
        x, anchor = (width - 4, "end") if is_mirrored else (4, "start")
        parts.append(f'<g class="{"system" if number else "gold"}">')
        parts.append(text_element("side", x, top + 10, display_text(name, 60), anchor=anchor))
        block = _Block(graph, xs, top + _CAPTION)
        parts += [*block.parts(), "</g>"]
        top = block.bottom + _BETWEEN
    height = top - _BETWEEN + 6
    space = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    style = f"<style>{STYLE}</style>" if standalone else ""
    description = "; ".join(
        f"{display_text(name, 60)}: {_describe(graph)}" for name, graph in zip(names, graphs, strict=True)
    )
    label = escape(identifier)
    return (
        f'<svg{space} class="tree" role="img" direction="ltr" aria-labelledby="{label}-title {label}-desc" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">'
        f'<title id="{label}-title">{escape(title)}</title>'
        f'<desc id="{label}-desc">{escape(description)}</desc>{style}{"".join(parts)}</svg>'
    )


def _positions(graph: Graph) -> tuple[list[float], float]:
    """The centre of each node, and the total width."""
    widths = [max(text_width(node.form, FORM_PX), text_width(node.upos, SMALL_PX)) for node in graph.nodes]
    rooms = []
    for edge in graph.edges:
        label = text_width(edge.label, SMALL_PX)
        if edge.head in (ROOT, edge.dependent):
            widths[edge.dependent] = max(widths[edge.dependent], label)
        else:
            left, right = sorted((edge.head, edge.dependent))
            rooms.append(Room(left, right, 1.06 * label + 2 * _SPREAD + 2 * _ROUND))
    rows = [(place,) for place in range(len(widths))]
    (centres,), inner = positions(rows, [Side(widths, rooms)], _GAP)
    return centres, inner


class _Block:
    """One graph at its position in the drawing."""

    def __init__(self, graph: Graph, xs: Sequence[float], top: float) -> None:
        self._graph, self._xs, self._top = graph, xs, top
        self._levels = _levels(graph)
        highest = max(self._levels.values(), default=0)
        self._step = min(_LEVEL, _MAX_ARCS_HEIGHT / max(highest, 1))
        self._baseline = top + _ABOVE + highest * self._step
        self.bottom = self._baseline + _TEXT_HEIGHT
        self._ends = _ends(graph, xs)

    def parts(self) -> Iterator[str]:
        for number, edge in enumerate(self._graph.edges):
            yield self._edge(number, edge)
        for place, node in enumerate(self._graph.nodes):
            x, style = self._xs[place], ' font-style="italic"' if node.is_empty else ""
            form = text_element("form", x, self._baseline + 18, display_text(node.form), FORM_PX, more=style)
            tag = text_element("tag", x, self._baseline + 35, display_text(node.upos), more=style)
            yield f'<g class="word{" empty" if node.is_empty else ""}">{form}{tag}</g>'

    def _edge(self, number: int, edge: GraphEdge) -> str:
        x, baseline = self._ends[number], self._baseline
        if edge.head == ROOT:
            y, middle = self._top + 16, x
            line = f"M{x:.1f} {y:.1f}V{baseline - 6:.1f}"
        else:
            direction = 1 if x >= self._xs[edge.head] else -1
            start, bend = self._xs[edge.head] + direction * _SPREAD, direction * _ROUND
            start = start - 2 * _SPREAD if edge.head == edge.dependent else start
            y, middle = baseline - 6 - self._levels[number] * self._step, (start + x) / 2
            line = (
                f"M{start:.1f} {baseline:.1f}V{y + _ROUND:.1f}Q{start:.1f} {y:.1f} {start + bend:.1f} {y:.1f}"
                f"H{x - bend:.1f}Q{x:.1f} {y:.1f} {x:.1f} {y + _ROUND:.1f}V{baseline - 6:.1f}"
            )
        tip = f"M{x - 3:.1f} {baseline - 7:.1f}L{x:.1f} {baseline:.1f}L{x + 3:.1f} {baseline - 7:.1f}Z"
        classes = " ".join(filter(None, ("arc", "wrong-head" if edge.is_wrong else "")))
        label = text_element("label", middle, y - 4, display_text(edge.label))
        return (
            f'<g class="{classes}"><path d="{line}" fill="none" stroke="currentColor"/>'
            f'<path class="tip" d="{tip}"/>{label}</g>'
        )


def _ends(graph: Graph, xs: Sequence[float]) -> list[float]:
    """Where each edge ends: those of one node are spread around its centre, in the order of their heads."""
    incoming: dict[int, list[int]] = {}
    for number, edge in enumerate(graph.edges):
        incoming.setdefault(edge.dependent, []).append(number)
    ends = [0.0] * len(graph.edges)
    for place, numbers in incoming.items():

        def from_left(number: int, place: int = place) -> float:
            head = graph.edges[number].head
            return xs[place] if head == ROOT else xs[head]

        for n, number in enumerate(sorted(numbers, key=from_left)):
            ends[number] = xs[place] + (n - (len(numbers) - 1) / 2) * _SPREAD
    return ends


def _levels(graph: Graph) -> dict[int, int]:
    """The level of each edge between nodes, from 1; long ones are above short ones."""
    above = np.zeros(len(graph.nodes) + 1, dtype=np.int64)
    edges = [(n, *sorted((e.head, e.dependent))) for n, e in enumerate(graph.edges) if e.head != ROOT]
    levels = {}
    for number, left, right in sorted(edges, key=lambda edge: (edge[2] - edge[1], edge[0])):
        span = slice(left, max(right, left + 1))
        levels[number] = int(above[span].max()) + 1
        above[span] = levels[number]
    return levels


def _describe(graph: Graph) -> str:
    """The graph as text, for screen readers."""
    parts: list[str] = []
    length = 0
    for edge in graph.edges:
        node = graph.nodes[edge.dependent]
        form = display_text(node.form) + (" (not in the text)" if node.is_empty else "")
        if edge.head == ROOT:
            part = f"{form} is a root"
        else:
            part = f"{form} is {display_text(edge.label)} of {display_text(graph.nodes[edge.head].form)}"
        length += len(part)
        if length > _MAX_DESCRIPTION:
            return ", ".join([*parts, "and so on"])
        parts.append(part)
    return ", ".join(parts)
