"""The lines under a table of results: its signature, and when the standing was computed and published.

In: the standing, and the metric and the scope of the table. The tag computes the signature, so that no page
can show the lines without it.
"""

from __future__ import annotations

from django import template

from evaluation.ranking.results import EVERYTHING
from sharedtask.standings.standing_view import StandingView

register = template.Library()


@register.inclusion_tag("leaderboard/_source.html")
def source(view: StandingView, metric: str = "", scope: str = EVERYTHING) -> dict[str, object]:
    """Without a metric, of the whole standing."""
    return {"view": view, "signature": view.signature(metric, scope)}
