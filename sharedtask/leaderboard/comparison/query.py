"""The query parameters of the comparison page."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from sharedtask.standings.query import ResultsQuery, common_parameters, value_of


@dataclass(frozen=True, kw_only=True)
class ComparisonQuery(ResultsQuery):
    systems: tuple[str, ...] = ()
    """Public ids of the runs to compare."""
    test_set: str = ""
    """The one whose breakdowns are compared; empty for all."""


def parse_query(parameters: QueryDict) -> ComparisonQuery:
    return ComparisonQuery(
        **common_parameters(parameters),
        systems=tuple(dict.fromkeys(parameters.getlist("with"))),
        test_set=value_of(parameters, "set"),
    )
