"""Addresses of other result pages for the ranking that a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import template

from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings.standing_view import Entrant, StandingView
from sharedtask.standings.visible_standings import VisibleStanding

register = template.Library()


@register.simple_tag
def results_query(view: StandingView, metric: str, *systems: Entrant | None, scope: str = "") -> str:
    """The query string: this ranking and metric, a scope, and systems to compare."""
    query = BoardQuery(
        phase=view.phase.code,
        track=view.standing.track,
        ranking=view.standing.ranking,
        metric="" if metric == view.figures.main[0] else metric,
        scope=scope,
    )
    return query.query_string(selected=[system.id for system in systems if system])


@register.simple_tag
def sentences_query(systems: Entrant | Sequence[Entrant], **parameters: str) -> str:
    """The query string of the sentence browser with these systems."""
    chosen = [systems] if isinstance(systems, Entrant) else systems
    return "?" + urlencode([*(("system", system.id) for system in chosen), *parameters.items()])


@register.simple_tag(takes_context=True)
def track_query(context: dict[str, Any]) -> str:
    """The query string of another page of results for the track that the reader has chosen."""
    track = context["request"].GET.get("track", "")
    return f"?{urlencode({'track': track})}" if track else ""


@register.filter
def unless(value: str, default: str) -> str | None:
    """None for a default, which `querystring` leaves out of the address."""
    return None if value == default else value


@register.simple_tag(takes_context=True)
def ranking_query(context: dict[str, Any], chosen: VisibleStanding) -> str:
    """The query string of the same page with another ranking.

    A metric belongs to its track, so that it is kept only in a task without tracks.
    """
    parameters = context["request"].GET.copy()
    parameters["phase"], parameters["ranking"] = chosen.phase.code, chosen.standing.ranking
    if chosen.standing.track:
        if parameters.get("track") != chosen.standing.track:
            parameters.pop("metric", None)
        parameters["track"] = chosen.standing.track
    return f"?{parameters.urlencode()}"
