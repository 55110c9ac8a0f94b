"""The query parameters of a leaderboard, and the query string of another state of the page.

In: the parameters of a request. Out: a `BoardQuery`, in which an empty value means the default. Every state
of the page has one address, without defaults.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from sharedtask.standings.query import MAX_LENGTH, PREVIEW, ResultsQuery, common_parameters, value_of

HIDEABLE = ("baselines", "incomplete")
MAX_SELECTED = 40


@dataclass(frozen=True, kw_only=True)
class BoardQuery(ResultsQuery):
    q: str = ""
    """A part of the name of a team or a system."""
    hide: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    """Public ids of the runs that are selected for comparison."""

    def query_string(self, **changes: Any) -> str:
        """With a question mark, or empty. The selection is included only if it is passed in."""
        query = replace(self, **changes)
        names = ("phase", "track", "ranking", "metric", "scope", "sort", "q")
        pairs = [(name, getattr(query, name)) for name in names if getattr(query, name)]
        pairs += [("hide", name) for name in query.hide]
        pairs += [("with", run) for run in changes.get("selected", ())]
        pairs += [(PREVIEW, "1")] if query.preview else []
        return f"?{urlencode(pairs)}" if pairs else ""


def parse_query(parameters: QueryDict) -> BoardQuery:
    selected = [run[:MAX_LENGTH] for run in parameters.getlist("with")[:MAX_SELECTED]]
    return BoardQuery(
        **common_parameters(parameters),
        q=value_of(parameters, "q"),
        hide=tuple(name for name in HIDEABLE if name in parameters.getlist("hide")),
        selected=tuple(dict.fromkeys(selected)),
    )
