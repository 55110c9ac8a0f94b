"""Charts of an analysis in the manner of the site: curves of classes, and of simple and complex classes.

Curves differ in the shape of their points and in their dashes as well as in colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from evaluation.curves.analysis import LEAST_WORDS, Analysis
from evaluation.curves.measures import PARTS
from evaluation.curves.tables import SCORE
from sharedtask.leaderboard.charts import Dot, draw, scatter
from sharedtask.leaderboard.charts.draw import Spec
from sharedtask.leaderboard.charts.theme import GREEN, INK, OCHRE, SOFT

WIDTH, HEIGHT = 700, 380
MAX_CLASSES = 12
COLOURS = (GREEN, OCHRE, SOFT)
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down")
DASHES = ((1, 0), (6, 3), (2, 3), (8, 3, 2, 3))
COMPLEXITY = "COMPLEXITY"


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


def class_chart(analysis: Analysis) -> SafeString:
    """Normalised curves of the most frequent classes, and of all words."""
    defined = [(name, curve) for name, curve in analysis.classes.items() if curve.normalised]
    frequent = sorted(defined, key=lambda item: -item[1].words)[:MAX_CLASSES]
    ordered = sorted(frequent, key=lambda item: item[1].complexity or 0.0)
    curves = [("all words", analysis.normalised)]
    curves += [(name, curve.normalised) for name, curve in ordered if curve.normalised]
    title = f"{SCORE} of classes in % of that at the largest size"
    return draw(
        curve_spec(analysis.sizes, curves, y=title),
        title=title,
        description=f"One curve per class over the size of the training data, for {len(ordered)} classes. "
        "The table of classes shows the values.",
    )


def part_chart(analysis: Analysis) -> SafeString:
    """Scores over all, simple and complex classes, and where systems are on these curves."""
    curves = [(part, curve.uas) for part in PARTS if (curve := analysis.parts[part])]
    points = [
        {
            "curve": part,
            "size": score.placement.sentences,
            "value": round(score.placement.uas, 2),
            "label": f"{name}, {part}: {score.placement.uas:.1f}, "
            f"{score.placement.describe(analysis.sizes)} sentences",
        }
        for name, system in analysis.systems.items()
        for part, score in system.parts.items()
        if score and analysis.sizes[0] <= score.placement.sentences <= analysis.sizes[-1]
    ]
    return draw(
        curve_spec(analysis.sizes, curves, y=SCORE, points=points),
        title=f"{SCORE} over all, simple and complex classes by the size of the training data",
        description=f"Three curves, and a ring for each of {len(analysis.systems)} systems where a curve "
        "reaches its score. The tables show the values.",
    )


def complexity_chart(analysis: Analysis) -> SafeString | None:
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
        scatter(dots, x=COMPLEXITY, y=y),
        title=f"{COMPLEXITY} of classes and their {SCORE} at the largest size",
        description=f"One dot for each of {len(dots)} classes, diamonds for complex ones. "
        "The table of classes shows the values.",
    )


def curve_spec(
    sizes: Sequence[int],
    curves: Sequence[tuple[str, Sequence[float]]],
    *,
    y: str,
    points: Sequence[dict[str, Any]] = (),
) -> Spec:
    names = [name for name, _ in curves]
    values = [
        {"curve": name, "size": size, "value": round(value, 2), "label": f"{name}, {size}: {value:.1f}"}
        for name, curve in curves
        for size, value in zip(sizes, curve, strict=True)
    ]
    scale = {"type": "log", "domain": [sizes[0], sizes[-1]], "nice": False}
    channels = {
        "x": {
            "field": "size",
            "type": "quantitative",
            "title": "training sentences (logarithmic)",
            "scale": scale,
            "axis": {"values": list(sizes), "format": "d", "labelOverlap": False},
        },
        "y": {"field": "value", "type": "quantitative", "title": y, "scale": {"zero": False}},
    }
    styles = [style(number) for number in range(len(names))]
    colour, shape, dash = (
        channel("curve", names, [getattr(each, field) for each in styles])
        for field in ("colour", "shape", "dash")
    )
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 1.8},
            "encoding": {**channels, "color": colour, "strokeDash": dash},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 46},
            "encoding": {**channels, "color": colour, "shape": shape, "description": {"field": "label"}},
        },
        {
            "data": {"values": list(points)},
            "mark": {"type": "point", "filled": False, "size": 140, "strokeWidth": 2, "color": INK},
            "encoding": {**channels, "description": {"field": "label"}},
        },
    ]
    return {"width": WIDTH, "height": HEIGHT, "data": {"values": values}, "layer": layers}


def channel(field: str, names: Sequence[str], values: Sequence[Any]) -> Spec:
    scale = {"domain": list(names), "range": list(values)}
    return {"field": field, "type": "nominal", "sort": None, "scale": scale, "legend": legend()}


def legend() -> Spec:
    return {"title": None, "labelColor": INK, "labelFontSize": 12, "labelLimit": 200, "symbolSize": 60}
