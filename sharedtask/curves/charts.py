"""Charts of an analysis in the manner of the site: curves of classes, and of simple and complex classes.

Curves differ in the shape of their points and in their dashes as well as in colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from evaluation.curves.analysis import LEAST_WORDS, Analysis
from evaluation.curves.intervals import Interval
from evaluation.curves.measures import PARTS
from evaluation.curves.partition import SeriesScore
from evaluation.curves.tables import SCORE
from sharedtask.leaderboard.charts import Dot, draw, scatter
from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.theme import GREEN, INK, OCHRE, SOFT

MAX_CLASSES = 12
COLOURS = (GREEN, OCHRE, SOFT)
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down")
DASHES = ((1, 0), (6, 3), (2, 3), (8, 3, 2, 3))
MARKS = (("circle", "○"), ("square", "□"), ("triangle-up", "△"), ("diamond", "◇"), ("triangle-down", "▽"))
MAX_LINED = 2
"""With more systems, dashed lines from the marks to the axes would hide the curves."""
COMPLEXITY = "COMPLEXITY"


@dataclass(frozen=True, kw_only=True)
class ChartWidth:
    """Charts are drawn twice, and style sheets show the one that fits."""

    name: str
    width: int
    height: int
    legend: str
    """Where it is."""
    legend_columns: int
    ticks: int
    """How many sizes fit below the axis."""


WIDTHS = (
    ChartWidth(name="wide", width=700, height=380, legend="right", legend_columns=1, ticks=20),
    ChartWidth(name="narrow", width=255, height=300, legend="bottom", legend_columns=3, ticks=5),
)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A line through values by size, with the intervals that are known."""

    name: str
    values: Mapping[int, float]
    intervals: Mapping[int, Interval]


@dataclass(frozen=True, kw_only=True)
class CurveStyle:
    colour: str
    shape: str
    dash: list[int]


def style(number: int) -> CurveStyle:
    """The first curve is that of all words; no two of the others have the same colour and dashes."""
    if number == 0:
        return CurveStyle(colour=INK, shape="diamond", dash=[1, 0])
    place = number - 1
    return CurveStyle(
        colour=COLOURS[place % len(COLOURS)],
        shape=SHAPES[place % len(SHAPES)],
        dash=list(DASHES[place // len(COLOURS) % len(DASHES)]),
    )


def class_chart(analysis: Analysis, width: ChartWidth) -> SafeString:
    """Normalised curves of the most frequent classes, and of all words."""
    defined = [(name, curve) for name, curve in analysis.classes.items() if curve.normalised]
    frequent = sorted(defined, key=lambda item: -item[1].words)[:MAX_CLASSES]
    ordered = sorted(frequent, key=lambda item: item[1].complexity or 0.0)
    lines = [("all words", analysis.normalised)]
    lines += [(name, curve.normalised) for name, curve in ordered if curve.normalised]
    curves = [
        Curve(name=name, values=dict(zip(analysis.sizes, values, strict=True)), intervals={})
        for name, values in lines
    ]
    title = f"{SCORE} of classes in % of that at the largest size"
    axis_title = title if width is WIDTHS[0] else f"{SCORE} in % of the last"
    return draw(
        curve_spec(curves, y=axis_title, width=width),
        title=title,
        description=f"One curve per class over the size of the training data, for {len(ordered)} classes. "
        "The table of classes shows the values.",
    )


def part_chart(analysis: Analysis, width: ChartWidth) -> SafeString:
    """Scores over all, simple and complex classes, and where systems are on these curves."""
    curves = [
        Curve(
            name=part,
            values=dict(zip(analysis.sizes, curve.uas, strict=True)),
            intervals={
                size: ends for size, ends in zip(analysis.sizes, curve.intervals, strict=True) if ends
            },
        )
        for part in PARTS
        if (curve := analysis.parts[part])
    ]
    systems = drawn_systems(analysis)
    points = [
        {
            "curve": part,
            "size": score.placement.sentences,
            "value": round(score.placement.uas, 2),
            "shape": drawn.shape,
            "sentences": score.placement.describe(analysis.sizes),
            "row": width.height - 5 - 12 * PARTS.index(part),
            "label": f"{drawn.name}, {part}: {score.placement.uas:.1f}, "
            f"{score.placement.describe(analysis.sizes)} sentences",
        }
        for drawn in systems
        for part, score in analysis.systems[drawn.name].parts.items()
        if score and analysis.sizes[0] <= score.placement.sentences <= analysis.sizes[-1]
    ]
    return draw(
        curve_spec(curves, y=SCORE, width=width, points=points, has_lines=len(systems) <= MAX_LINED),
        title=f"{SCORE} over all, simple and complex classes by the size of the training data",
        description=f"Three curves with 95% intervals, and a mark for each of {len(systems)} "
        "systems where a curve reaches its score. The tables show the values.",
    )


@dataclass(frozen=True, kw_only=True)
class DrawnSystem:
    """A system on the curves that are drawn, with the shape of its marks and a letter that looks like it."""

    name: str
    shape: str
    glyph: str


def drawn_systems(analysis: Analysis) -> list[DrawnSystem]:
    """Those with outputs for all test sets: others are placed on the curves of fewer, which are not drawn."""
    test_sets = analysis.treebanks or (analysis.name,)
    names = [name for name, system in analysis.systems.items() if system.treebanks == test_sets]
    marks = MARKS if len(names) <= len(MARKS) else MARKS[:1]
    return [
        DrawnSystem(name=name, shape=shape, glyph=glyph)
        for n, name in enumerate(names)
        for shape, glyph in [marks[n % len(marks)]]
    ]


def systems_elsewhere(analysis: Analysis) -> list[str]:
    """Names of systems that are not drawn, because they have no outputs for some of the test sets."""
    drawn = {system.name for system in drawn_systems(analysis)}
    return [name for name in analysis.systems if name not in drawn]


def comparison_chart(scores: Sequence[SeriesScore], part: str, width: ChartWidth) -> SafeString | None:
    """One curve per series, over the same classes; None if these have no words."""
    curves = [
        Curve(
            name=name,
            values={
                each.size: score.uas for each in scores if each.series == name and (score := each.parts[part])
            },
            intervals={
                each.size: score.interval
                for each in scores
                if each.series == name and (score := each.parts[part]) and score.interval
            },
        )
        for name in dict.fromkeys(each.series for each in scores)
    ]
    curves = [curve for curve in curves if curve.values]
    if not curves:
        return None
    classes = "all words" if part == PARTS[0] else f"{part} classes"
    return draw(
        curve_spec(curves, y=SCORE, width=width),
        title=f"{SCORE} over {classes} by the size of the training data",
        description=f"One curve with 95% intervals for each of {len(curves)} series. "
        "The table of scores shows the values.",
    )


def complexity_chart(analysis: Analysis, width: ChartWidth) -> SafeString | None:
    """Every class that is not rare: its COMPLEXITY and its score at the largest size."""
    # Complex classes look as baselines do elsewhere: diamonds in another colour.
    dots = [
        Dot(
            name=name,
            x=round(curve.complexity, 1),
            y=round(curve.uas[-1], 1),
            is_baseline=not curve.is_simple,
        )
        for name, curve in analysis.classes.items()
        if curve.complexity is not None and curve.words >= LEAST_WORDS
    ]
    if not dots:
        return None
    y = f"{SCORE} at {analysis.sizes[-1]} sentences"
    return draw(
        scatter(dots, x=COMPLEXITY, y=y, width=width.width, height=width.height),
        title=f"{COMPLEXITY} of classes and their {SCORE} at the largest size",
        description=f"One dot for each of {len(dots)} classes, diamonds for complex ones. "
        "The table of classes shows the values.",
    )


def curve_spec(
    curves: Sequence[Curve],
    *,
    y: str,
    width: ChartWidth,
    points: Sequence[dict[str, Any]] = (),
    has_lines: bool = False,
) -> Spec:
    names = [curve.name for curve in curves]
    sizes = sorted({size for curve in curves for size in curve.values})
    values = [
        {
            "curve": curve.name,
            "size": size,
            "value": round(value, 2),
            "label": f"{curve.name}, {size}: {value:.1f}",
        }
        for curve in curves
        for size, value in curve.values.items()
    ]
    ranges = [
        {"curve": curve.name, "size": size, "value": round(low, 2), "high": round(high, 2)}
        for curve in curves
        for size, (low, high) in curve.intervals.items()
    ]
    scale = {"type": "log", "domain": [sizes[0], sizes[-1]], "nice": False}
    channels = {
        "x": {
            "field": "size",
            "type": "quantitative",
            "title": "training sentences (logarithmic)",
            "scale": scale,
            "axis": {"values": labelled(sizes, width), "format": "d", "labelOverlap": False, "grid": False},
        },
        "y": {"field": "value", "type": "quantitative", "title": y, "scale": {"zero": False}},
    }
    styles = [style(number) for number in range(len(names))]
    colour, shape, dash = (
        channel("curve", names, [getattr(each, field) for each in styles], width)
        for field in ("colour", "shape", "dash")
    )
    layers = [
        {
            "data": {"values": ranges},
            "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.45},
            "encoding": {**channels, "y2": {"field": "high"}, "color": colour},
        },
        {
            "mark": {"type": "line", "strokeWidth": 1.8},
            "encoding": {**channels, "color": colour, "strokeDash": dash},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 46},
            "encoding": {**channels, "color": colour, "shape": shape, "description": {"field": "label"}},
        },
        *(lines_to_axes(points, channels, colour) if has_lines else []),
        {
            "data": {"values": list(points)},
            "mark": {"type": "point", "filled": False, "size": 140, "strokeWidth": 2, "color": INK},
            "encoding": {
                **channels,
                "shape": {"field": "shape", "type": "nominal", "scale": None},
                "description": {"field": "label"},
            },
        },
    ]
    return {"width": width.width, "height": width.height, "data": {"values": values}, "layer": layers}


def lines_to_axes(points: Sequence[dict[str, Any]], channels: Spec, colour: Spec) -> list[Spec]:
    """As in the paper's Figure 3: from a score to its curve, and down to the number of sentences."""
    data = {"values": list(points)}
    line = {"type": "rule", "strokeDash": [3, 3], "opacity": 0.6, "aria": False}
    number = {"type": "text", "align": "left", "dx": 3, "color": INK}
    return [
        {"data": data, "mark": line, "encoding": {**channels, "x2": {"value": 0}, "color": colour}},
        {
            "data": data,
            "mark": line,
            "encoding": {**channels, "y2": {"value": {"expr": "height"}}, "color": colour},
        },
        {
            "data": data,
            "mark": number,
            "encoding": {
                "x": channels["x"],
                "y": {"field": "row", "type": "quantitative", "scale": None},
                "text": {"field": "sentences"},
                "description": {"field": "label"},
            },
        },
    ]


def labelled(sizes: Sequence[int], width: ChartWidth) -> list[int]:
    """All sizes, or so many as fit, with the first and the last."""
    if len(sizes) <= width.ticks:
        return list(sizes)
    step = (len(sizes) - 1) / (width.ticks - 1)
    return [sizes[round(step * n)] for n in range(width.ticks)]


def channel(field: str, names: Sequence[str], values: Sequence[Any], width: ChartWidth) -> Spec:
    scale = {"domain": list(names), "range": list(values)}
    return {"field": field, "type": "nominal", "sort": None, "scale": scale, "legend": legend(width)}


def legend(width: ChartWidth) -> Spec:
    return {
        "title": None,
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 200,
        "symbolSize": 60,
        "orient": width.legend,
        "columns": width.legend_columns,
    }
