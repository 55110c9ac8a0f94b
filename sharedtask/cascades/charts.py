"""The chart of an experiment: how scores change by constraints on each class, in and outside the class."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString

from evaluation.cascades.tables import CONTROL_TITLES, SCORE, System, classes_of, run_titles
from sharedtask.leaderboard.charts import draw
from sharedtask.leaderboard.charts.theme import GREEN, INK, OCHRE

WIDTH, ROW = 560, 26
PARTS = {"delta_constrained": "Δc: the constrained words", "delta_unconstrained": "Δu: all other words"}
SYMBOL_SIZE = 120
LETTER_WIDTH, LABEL_LIMIT = 6.6, 320
"""In pixels. Fonts may be wider than the one that Vega measures with, and would then be cut off."""


def gain_chart(systems: Sequence[System]) -> SafeString:
    titles = run_titles(classes_of(systems))
    values = [
        {
            "class": label(titles[row.run], name, len(systems) > 1),
            "part": part,
            "order": order,
            "value": round(100 * getattr(row, field), 3),
            "label": f"{titles[row.run]}{f', {name}' if len(systems) > 1 else ''}, {part}: "
            f"{100 * getattr(row, field):+.2f}",
        }
        for rows in zip(*(rows for _, rows in systems), strict=True)
        for (name, _), row in zip(systems, rows, strict=True)
        if row.run not in CONTROL_TITLES
        for order, (field, part) in enumerate(PARTS.items())
    ]
    names = list(dict.fromkeys(str(value["class"]) for value in values))
    spec = {
        "width": WIDTH,
        "height": ROW * len(names),
        "data": {"values": values},
        "mark": {"type": "bar", "stroke": INK, "strokeWidth": 0.5},
        "encoding": {
            "y": {
                "field": "class",
                "type": "nominal",
                "sort": names,
                "title": None,
                "axis": {"labelLimit": LABEL_LIMIT, "minExtent": room_for(names)},
            },
            "x": {"field": "value", "type": "quantitative", "title": f"Δ{SCORE} in percentage points"},
            "color": {
                "field": "part",
                "type": "nominal",
                "sort": None,
                "scale": {"domain": list(PARTS.values()), "range": [GREEN, OCHRE]},
                "legend": {
                    "title": None,
                    "orient": "top",
                    "columns": 1,
                    "labelColor": INK,
                    "labelLimit": 260,
                    "symbolSize": SYMBOL_SIZE,
                },
            },
            "order": {"field": "order"},
            "description": {"field": "label"},
        },
    }
    return draw(
        spec,
        title=f"Change of {SCORE} by constraints on each class",
        description=f"A bar for each of {len(names)} classes, in two parts: the change in the constrained "
        "words and in all others. The table shows the values.",
    )


def room_for(names: Sequence[str]) -> float:
    return min(LETTER_WIDTH * max(map(len, names), default=0), LABEL_LIMIT)


def label(title: str, name: str, several: bool) -> str:
    return f"{title}, {name}" if several else title
