"""The query parameters of the page of a series; unknown values are replaced by defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.curves.analysis import Analysis
from evaluation.curves.average import AVERAGE
from evaluation.curves.classes import CRITERIA, DEFAULT


@dataclass(frozen=True, kw_only=True)
class SeriesQuery:
    by: str
    """The criterion of the classes."""
    test_set: str
    """Or the average; empty if the address names none."""
    sort: str

    def choose(self, analyses: Sequence[Analysis]) -> Analysis | None:
        """The one that the address names, else the average, else the first."""
        by_name = {analysis.name: analysis for analysis in reversed(analyses)}
        default = next(iter(analyses), None)
        return by_name.get(self.test_set) or by_name.get(AVERAGE) or default


def parse_query(parameters: Mapping[str, str]) -> SeriesQuery:
    by = parameters.get("by", "")
    return SeriesQuery(
        by=by if by in CRITERIA else DEFAULT,
        test_set=parameters.get("set", ""),
        sort=parameters.get("sort", ""),
    )
