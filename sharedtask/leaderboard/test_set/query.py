"""The query parameters of the list of test sets and of the page of each of them."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from sharedtask.standings.query import ResultsQuery, common_parameters, value_of


@dataclass(frozen=True, kw_only=True)
class TestSetQuery(ResultsQuery):
    __test__ = False  # Keeps pytest from collecting it as a test class.

    against: str = ""
    """The segmentation metric of the scatter plot."""


def parse_query(parameters: QueryDict) -> TestSetQuery:
    return TestSetQuery(**common_parameters(parameters), against=value_of(parameters, "against"))
