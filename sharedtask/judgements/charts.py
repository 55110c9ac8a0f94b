"""Charts of a campaign: how well metrics agree with people, whom people prefer, how metrics relate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from sharedtask.judgements.paper_tables import metrics_of
from sharedtask.judgements.tables import VisibleAnalysis
from sharedtask.leaderboard.charts import draw
from sharedtask.leaderboard.charts.theme import GREEN, INK, OCHRE

WIDTH, ROW, CELL = 380, 22, 28
MAX_PAIRS = 4
"""Of more pairs of systems, the tables say the same in less space."""


@dataclass(frozen=True)
class Chart:
    title: str
    svg: SafeString


def charts_of(analyses: Sequence[VisibleAnalysis]) -> list[Chart]:
    """Of the pairs of systems on one test set, or on all of them."""
    charts = [preference_chart(analyses)] if analyses else []
    for analysis in [each for each in analyses if each.document["metrics"]][:MAX_PAIRS]:
        charts += [correlation_chart(analysis), agreement_chart(analysis), between_chart(analysis)]
    return [chart for chart in charts if chart is not None]


def preference_chart(analyses: Sequence[VisibleAnalysis]) -> Chart | None:
    values = []
    for analysis in analyses[: 2 * MAX_PAIRS]:
        total = sum(analysis.document["preference"].values())
        for choice, items in analysis.document["preference"].items():
            interval = analysis.document["preference_intervals"][choice]
            name = analysis.name_of(choice)
            label = name if len(analyses) == 1 else f"{name} ({analysis.label[0]})"
            values.append(dot(label, items / total, interval))
    return interval_chart(
        values,
        title="Which tree people prefer",
        x_title="Share of items",
        description=f"One dot with its interval for each of {len(values)} choices.",
        domain=(0, 1),
    )


def correlation_chart(analysis: VisibleAnalysis) -> Chart | None:
    values = metric_dots(analysis, "spearman")
    return interval_chart(
        values,
        title=f"Correlation of metrics with people, {analysis.label[0]}",
        x_title="Spearman's ρ with people",
        description=f"One dot with its interval for each of {len(values)} metrics.",
    )


def agreement_chart(analysis: VisibleAnalysis) -> Chart | None:
    values = metric_dots(analysis, "agreement")
    return interval_chart(
        values,
        title=f"Agreement of metrics with people, {analysis.label[0]}",
        x_title="Agreement (line: between annotators)",
        description=f"One dot with its interval for each of {len(values)} metrics.",
        line=analysis.document["agreement"]["raw"],
    )


def metric_dots(analysis: VisibleAnalysis, figure: str) -> list[dict[str, Any]]:
    """Those that agree best come first."""
    values = [
        dot(name, metric[figure], metric[f"{figure}_interval"])
        for name, metric in analysis.document["metrics"].items()
        if metric[figure] is not None
    ]
    return sorted(values, key=lambda value: -float(value["value"]))


def dot(name: str, value: float, interval: Sequence[float] | None) -> dict[str, Any]:
    low, high = interval or (value, value)
    return {
        "name": name,
        "value": round(value, 3),
        "low": round(low, 3),
        "high": round(high, 3),
        "label": f"{name}: {value:.3f}",
    }


def interval_chart(
    values: Sequence[dict[str, Any]],
    *,
    title: str,
    x_title: str,
    description: str,
    line: float | None = None,
    domain: tuple[float, float] | None = None,
) -> Chart | None:
    if not values:
        return None
    y = {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 260}}
    scale = {"scale": {"domain": list(domain)}} if domain else {"scale": {"zero": False}}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "color": INK},
            "encoding": {
                "y": y,
                "x": {
                    "field": "low",
                    "type": "quantitative",
                    "title": x_title,
                    "axis": {"tickCount": 6},
                    **scale,
                },
                "x2": {"field": "high"},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "color": GREEN},
            "encoding": {
                "y": y,
                "x": {"field": "value", "type": "quantitative"},
                "description": {"field": "label"},
            },
        },
    ]
    if line is not None:
        layers.append(
            {
                "data": {"values": [{"line": round(line, 3)}]},
                "mark": {"type": "rule", "color": OCHRE, "strokeDash": [4, 3]},
                "encoding": {"x": {"field": "line", "type": "quantitative"}},
            }
        )
    spec = {"width": WIDTH, "height": ROW * len(values), "data": {"values": list(values)}, "layer": layers}
    return Chart(title, draw(spec, title=title, description=description))


def between_chart(analysis: VisibleAnalysis) -> Chart | None:
    """A map of the correlations between metrics: the darker a cell, the more alike two metrics are."""
    names = metrics_of([analysis])
    between = analysis.document["between_metrics"]
    values = [
        {"left": left, "right": right, "rho": round(rho, 2), "label": f"{left} and {right}: {rho:.2f}"}
        for left in names
        for right in names
        if (rho := between.get(f"{left} {right}")) is not None
    ]
    if not values:
        return None
    spec = {
        "width": CELL * (len(names) - 1),
        "height": CELL * (len(names) - 1),
        "data": {"values": values},
        "encoding": {
            "x": {"field": "right", "type": "nominal", "sort": None, "title": None},
            "y": {"field": "left", "type": "nominal", "sort": None, "title": None},
        },
        "layer": [
            {
                "mark": {"type": "rect", "color": GREEN},
                "encoding": {
                    "opacity": {
                        "field": "rho",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1], "range": [0, 0.55], "clamp": True},
                        "legend": None,
                    },
                    "description": {"field": "label"},
                },
            },
            {
                "mark": {"type": "text", "fontSize": 10, "color": INK},
                "encoding": {"text": {"field": "rho", "type": "quantitative", "format": ".2f"}},
            },
        ],
    }
    title = f"Correlation between metrics (Spearman's ρ), {analysis.label[0]}"
    return Chart(
        title, draw(spec, title=title, description=f"A cell for each of {len(values)} pairs of metrics.")
    )
