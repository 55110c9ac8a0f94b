"""The query parameters of the page of a system."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from sharedtask.standings.query import ResultsQuery, common_parameters, value_of


@dataclass(frozen=True, kw_only=True)
class SystemQuery(ResultsQuery):
    test_set: str = ""
    """The one whose breakdowns are shown; empty for all."""
    compare_with: str = ""
    """Public id of the run whose breakdowns are shown as well, or `all` for all systems combined."""


def parse_query(parameters: QueryDict) -> SystemQuery:
    return SystemQuery(
        **common_parameters(parameters),
        test_set=value_of(parameters, "set"),
        compare_with=value_of(parameters, "compare_with"),
    )
