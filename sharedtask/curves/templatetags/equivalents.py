"""What a system is worth in training sentences, as lines for its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import template

from evaluation.curves.average import AVERAGE
from evaluation.curves.classes import DEFAULT
from evaluation.curves.tables import summary
from sharedtask.accounts.roles import Viewer
from sharedtask.core import clock
from sharedtask.curves.visible import VisibleSeries, visible_series
from sharedtask.teams.models import System

register = template.Library()


@dataclass(frozen=True, kw_only=True)
class Equivalent:
    series: VisibleSeries
    text: str
    scope: str
    """The test set, or the number of test sets of the average."""


@register.inclusion_tag("curves/_equivalents.html", takes_context=True)
def equivalents(context: Mapping[str, Any], system: System) -> dict[str, Any]:
    at = context.get("at") or clock.database_now()
    task = context["task"]
    return {"task": task, "equivalents": find_equivalents(context["request"].user, system, at=at)}


def find_equivalents(viewer: Viewer, system: System, *, at: datetime) -> list[Equivalent]:
    """On the curve of every other system's series that the viewer may see."""
    others = visible_series(viewer, system.team.task, at=at)
    if not others:
        return []
    runs = set(system.runs.values_list("public_id", flat=True))
    return [
        equivalent
        for series in others
        if series.row.system_id != system.pk and runs.intersection(series.placed)
        for equivalent in equivalents_on(series, {series.placed[id] for id in runs & set(series.placed)})
    ]


def equivalents_on(series: VisibleSeries, names: set[str]) -> list[Equivalent]:
    analyses = series.by(DEFAULT)
    averages = [analysis for analysis in analyses if analysis.name == AVERAGE]
    return [
        Equivalent(
            series=series,
            text=summary(name, placed, series.name, analysis.sizes),
            scope=analysis.name if analysis.name != AVERAGE else f"{len(placed.treebanks)} test sets",
        )
        for analysis in averages or analyses
        for name, placed in analysis.systems.items()
        if name in names
    ]
