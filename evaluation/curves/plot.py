"""Learning curves as one SVG: classes, COMPLEXITY beside UAS, and systems on the curves of the parts.

CSS classes name the parts and `plot.css` styles them. Curves differ in marker and dashes as well as in
colour. All text from files is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

from ..showing.glyphs import display_text
from .analysis import LEAST_WORDS, Analysis, ClassCurve
from .frame import MARKERS, Frame, Labels, PlotAxis, draw_marker, line, round_ticks, text
from .measures import PARTS

STYLE = Path(__file__).with_name("plot.css").read_text(encoding="utf-8")

_HUES, _DASHES = 6, 4
_MAX_CLASSES = 16
_ROW, _TOP, _PANEL = 520.0, 74.0, 330.0
_WIDTH = 1560
_PART_STYLES = {"overall": ("all", ""), "simple": ("hue-2", "circle"), "complex": ("hue-1", "square")}


def plot(analyses: Sequence[Analysis]) -> str:
    """A complete file, with one row of three plots per analysis."""
    rows = [part for n, analysis in enumerate(analyses) for part in _row(analysis, n * _ROW)]
    height = len(analyses) * _ROW
    names = ", ".join(display_text(analysis.title, 80) for analysis in analyses)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="curves" role="img" aria-labelledby="title desc" '
        f'width="{_WIDTH}" height="{height:.0f}" viewBox="0 0 {_WIDTH} {height:.0f}">'
        f'<title id="title">Learning curves: {escape(names)}</title>'
        f'<desc id="desc">{escape(" ".join(map(_describe, analyses)))}</desc>'
        f"<style>{STYLE}</style>{''.join(rows)}</svg>"
    )


def _row(analysis: Analysis, top: float) -> list[str]:
    return [
        text(20, top + 30, display_text(analysis.title, 120), "heading"),
        *draw_classes(analysis, 60, top + _TOP),
        *draw_complexity(analysis, 690, top + _TOP),
        *draw_systems(analysis, 1130, top + _TOP),
    ]


def draw_classes(analysis: Analysis, left: float, top: float) -> list[str]:
    """The normalised curves of the most frequent classes, with a legend."""
    chosen = _frequent(analysis)
    values = [value for _, curve in chosen for value in curve.normalised or ()] + [100.0]
    up = round_ticks(min(values), max(values))
    frame = _frame(analysis, left, top, 400, up, "UAS in % of that at the largest size")
    parts = frame.axes("Classes")
    total = sum(curve.words for curve in analysis.classes.values())
    x = left + 418
    for n, (name, curve) in enumerate(chosen):
        style, marker = _style(n)
        parts += frame.curve(analysis.sizes, curve.normalised or (), style, marker)
        y = top + 8 + 20 * n
        parts += [line(x, y, x + 28, y, style), draw_marker(x + 14, y, marker, style)]
        parts.append(text(x + 36, y + 4, f"{display_text(name, 20)} ({100 * curve.words / total:.1f}%)"))
    if not any(map(math.isnan, analysis.normalised)):
        parts += frame.curve(analysis.sizes, analysis.normalised, "all")
        y = top + 8 + 20 * len(chosen)
        parts += [line(x, y, x + 28, y, "all"), text(x + 36, y + 4, "all words")]
    return parts


def draw_complexity(analysis: Analysis, left: float, top: float) -> list[str]:
    """COMPLEXITY of every class that is not rare, and its UAS at the largest size."""
    points = [
        (name, curve.complexity, curve.uas[-1])
        for name, curve in analysis.classes.items()
        if curve.complexity is not None and curve.words >= LEAST_WORDS
    ]
    across = round_ticks(min([0.0, *(p[1] for p in points)]), max([1.0, *(p[1] for p in points)]))
    up = round_ticks(min([100.0, *(p[2] for p in points)]), 100.0)
    frame = Frame(
        left=left,
        top=top,
        width=340,
        height=_PANEL,
        across=PlotAxis(low=across[0], high=across[-1], ticks=across, title="COMPLEXITY (simple below 0)"),
        up=PlotAxis(low=up[0], high=up[-1], ticks=up, title=f"UAS at {analysis.sizes[-1]} sentences"),
    )
    parts = frame.axes("COMPLEXITY and UAS")
    parts.append(line(frame.x(0), top, frame.x(0), top + _PANEL, "zero"))
    labels = Labels()
    for name, area, uas in points:
        is_simple = area < 0
        style, marker = _PART_STYLES["simple" if is_simple else "complex"]
        x, y = frame.x(area), frame.y(uas)
        parts.append(draw_marker(x, y, marker, style))
        is_right = x > left + 280
        label = display_text(name, 20)
        parts.append(labels.place(x + (-8 if is_right else 8), y, label, ends=is_right))
    return parts


def draw_systems(analysis: Analysis, left: float, top: float) -> list[str]:
    """The curves of all, simple and complex classes, and where the systems are on them."""
    curves = [(part, curve) for part in PARTS if (curve := analysis.parts[part])]
    placed = [
        (name, part, score.placement)
        for name, system in analysis.systems.items()
        for part, score in system.parts.items()
        if score
    ]
    values = [uas for _, curve in curves for uas in curve.uas] + [p.uas for _, _, p in placed]
    frame = _frame(analysis, left, top, 380, round_ticks(min(values), max(values)), "UAS")
    parts = frame.axes("Simple and complex classes, and systems")
    for n, (part, curve) in enumerate(curves):
        style, marker = _PART_STYLES[part]
        parts += _band(
            frame,
            analysis.sizes,
            [i or (u, u) for i, u in zip(curve.intervals, curve.uas, strict=True)],
            style,
        )
        parts += frame.curve(analysis.sizes, curve.uas, style, marker)
        x = left + 100 * n
        parts.append(line(x, top + _PANEL + 50, x + 28, top + _PANEL + 50, style))
        parts += [draw_marker(x + 14, top + _PANEL + 50, marker, style)] if marker else []
        parts.append(text(x + 34, top + _PANEL + 54, part))
    names, labels = list(analysis.systems), Labels()
    for name, part, placement in placed:
        style, marker = _PART_STYLES[part][0], MARKERS[(names.index(name) + 3) % len(MARKERS)]
        y = frame.y(placement.uas)
        inside = analysis.sizes[0] <= placement.sentences <= analysis.sizes[-1]
        end = (
            frame.x(placement.sentences) if inside else left + (8 if placement.sentences < 1 else frame.width)
        )
        parts.append(line(left, y, end, y, f"system {style}"))
        if inside:
            parts.append(line(end, y, end, top + _PANEL, f"drop {style}"))
            sentences = placement.describe(analysis.sizes)
            parts.append(labels.place(end + 3, top + _PANEL - 8, sentences))
        parts.append(draw_marker(end, y, marker, style))
    for n, name in enumerate(names):
        x, y = left + 190 * (n % 2), top + _PANEL + 70 + 18 * (n // 2)
        if y < top + _ROW - _TOP - 4:
            parts.append(draw_marker(x + 14, y - 4, MARKERS[(n + 3) % len(MARKERS)], "all"))
            parts.append(text(x + 34, y, display_text(name, 24)))
    return parts


def _band(frame: Frame, sizes: Sequence[int], ends: Sequence[tuple[float, float]], style: str) -> list[str]:
    """The area between the ends of the intervals."""
    lower = [(frame.x(size), frame.y(low)) for size, (low, _) in zip(sizes, ends, strict=True)]
    upper = [(frame.x(size), frame.y(high)) for size, (_, high) in zip(sizes, ends, strict=True)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in lower + upper[::-1])
    return [f'<polygon class="band {style}" points="{points}"/>']


def _frame(
    analysis: Analysis, left: float, top: float, width: float, up: Sequence[float], title: str
) -> Frame:
    sizes = analysis.sizes
    return Frame(
        left=left,
        top=top,
        width=width,
        height=_PANEL,
        across=PlotAxis(
            low=sizes[0],
            high=sizes[-1],
            ticks=sizes,
            title="training sentences (logarithmic)",
            is_logarithmic=True,
        ),
        up=PlotAxis(low=up[0], high=up[-1], ticks=up, title=title),
    )


def _frequent(analysis: Analysis) -> list[tuple[str, ClassCurve]]:
    """The most frequent classes, in the order of their COMPLEXITY."""
    defined = [(name, curve) for name, curve in analysis.classes.items() if curve.normalised is not None]
    frequent = sorted(defined, key=lambda item: -item[1].words)[: _MAX_CLASSES - 1]
    return sorted(frequent, key=lambda item: item[1].complexity or 0.0)


def _style(number: int) -> tuple[str, str]:
    """Neighbours differ in colour, marker and dashes."""
    return f"hue-{number % _HUES} dash-{number // _HUES % _DASHES}", MARKERS[
        (number + number // _HUES) % len(MARKERS)
    ]


def _describe(analysis: Analysis) -> str:
    """The plots as text, for screen readers."""
    overall = analysis.parts["overall"]
    first, last = (overall.uas[0], overall.uas[-1]) if overall else (0.0, 0.0)
    systems = "".join(
        f" {display_text(name, 24)}: {score.placement.describe(analysis.sizes)} sentences."
        for name, system in analysis.systems.items()
        if (score := system.parts["overall"])
    )
    return (
        f"{display_text(analysis.title, 80)}: UAS is {first:.1f} with {analysis.sizes[0]} sentences and "
        f"{last:.1f} with {analysis.sizes[-1]}; simple: {', '.join(analysis.simple) or 'none'}.{systems}"
    )
