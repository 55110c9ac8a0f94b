"""The query parameters of a leaderboard, and the query string of another state of the page.

In: the parameters of a request. Out: a `BoardQuery`, in which an empty value means the default. Every state
of the page has one address, without defaults.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

HIDEABLE = ("baselines", "incomplete")
MAX_LENGTH = 60
"""Longer values are cut; no name and no column has more characters."""
MAX_SELECTED = 40


@dataclass(frozen=True, kw_only=True)
class BoardQuery:
    phase: str = ""
    ranking: str = ""
    metric: str = ""
    scope: str = ""
    """A group by its name, or a language as `lang:en`."""
    sort: str = ""
    """A column; descending with a minus in front."""
    q: str = ""
    """A part of the name of a team or a system."""
    hide: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    """Public ids of the runs that are selected for comparison."""
    preview: bool = False
    """Organisers see the current results instead of the published ones."""

    def query_string(self, **changes: Any) -> str:
        """With a question mark, or empty. The selection is included only if it is passed in."""
        query = replace(self, **changes)
        names = ("phase", "ranking", "metric", "scope", "sort", "q")
        pairs = [(name, getattr(query, name)) for name in names if getattr(query, name)]
        pairs += [("hide", name) for name in query.hide]
        pairs += [("with", run) for run in changes.get("selected", ())]
        pairs += [("preview", "1")] if query.preview else []
        return f"?{urlencode(pairs)}" if pairs else ""


def parse_query(parameters: QueryDict) -> BoardQuery:
    def value(name: str) -> str:
        return " ".join(parameters.get(name, "").split())[:MAX_LENGTH]

    selected = [run[:MAX_LENGTH] for run in parameters.getlist("with")[:MAX_SELECTED]]
    return BoardQuery(
        phase=value("phase"),
        ranking=value("ranking"),
        metric=value("metric"),
        scope=value("scope"),
        sort=value("sort"),
        q=value("q"),
        hide=tuple(name for name in HIDEABLE if name in parameters.getlist("hide")),
        selected=tuple(dict.fromkeys(selected)),
        preview="preview" in parameters,
    )
