"""Addresses of other result pages for the ranking that a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django import template

from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings.standing_view import Entrant, StandingView

register = template.Library()


@register.simple_tag
def results_query(view: StandingView, metric: str, *systems: Entrant | None, scope: str = "") -> str:
    """The query string: this ranking and metric, a scope, and systems to compare."""
    query = BoardQuery(
        phase=view.phase.code,
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


@register.filter
def unless(value: str, default: str) -> str | None:
    """None for a default, which `querystring` leaves out of the address."""
    return None if value == default else value
