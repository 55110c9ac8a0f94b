"""The chart of a campaign: how well each metric agrees with people, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString

from sharedtask.judgements.tables import VisibleAnalysis
from sharedtask.leaderboard.charts import draw
from sharedtask.leaderboard.charts.theme import GREEN, INK

WIDTH, ROW = 560, 24


def metric_chart(analyses: Sequence[VisibleAnalysis]) -> SafeString | None:
    """Of the first analysis with metrics; None if there is none."""
    measured = [analysis for analysis in analyses if analysis.document["metrics"]]
    if not measured:
        return None
    metrics = measured[0].document["metrics"]
    values = [
        {
            "metric": name,
            "rho": round(metric["spearman"], 3),
            "low": round((metric["spearman_interval"] or [metric["spearman"]] * 2)[0], 3),
            "high": round((metric["spearman_interval"] or [metric["spearman"]] * 2)[1], 3),
            "label": f"{name}: {metric['spearman']:.3f}",
        }
        for name, metric in metrics.items()
        if metric["spearman"] is not None
    ]
    if not values:
        return None
    values.sort(key=lambda value: -value["rho"])
    y = {"field": "metric", "type": "nominal", "sort": None, "title": None}
    spec = {
        "width": WIDTH,
        "height": ROW * len(values),
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rule", "color": INK},
                "encoding": {
                    "y": y,
                    "x": {"field": "low", "type": "quantitative", "title": "Spearman's ρ with people"},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "color": GREEN},
                "encoding": {
                    "y": y,
                    "x": {"field": "rho", "type": "quantitative"},
                    "description": {"field": "label"},
                },
            },
        ],
    }
    title = "Correlation of metrics with people"
    return draw(
        spec, title=title, description=f"One dot with its interval for each of {len(values)} metrics."
    )
