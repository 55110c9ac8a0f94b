"""The query parameters of the page of a series; unknown values are replaced by defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.curves.analysis import Analysis
from evaluation.curves.average import AVERAGE
from evaluation.curves.classes import CRITERIA, DEFAULT
from evaluation.curves.tables import SCORE

MAX_NAME = 60


@dataclass(frozen=True, kw_only=True)
class SeriesQuery:
    by: str
    """The criterion of the classes."""
    test_set: str
    """Or the average; empty if the address names none."""
    sort: str
    score: tuple[str, float] | None
    """The name and the value of a published score to be placed on the curve."""
    problem: str
    """Why a score cannot be placed."""

    def choose(self, analyses: Sequence[Analysis]) -> Analysis | None:
        """The one that the address names, else the average, else the first."""
        by_name = {analysis.name: analysis for analysis in reversed(analyses)}
        default = next(iter(analyses), None)
        return by_name.get(self.test_set) or by_name.get(AVERAGE) or default


def parse_query(parameters: Mapping[str, str]) -> SeriesQuery:
    by = parameters.get("by", "")
    score, problem = parse_score(parameters.get("name", ""), parameters.get("uas", ""))
    return SeriesQuery(
        by=by if by in CRITERIA else DEFAULT,
        test_set=parameters.get("set", ""),
        sort=parameters.get("sort", ""),
        score=score,
        problem=problem,
    )


def parse_score(name: str, text: str) -> tuple[tuple[str, float] | None, str]:
    """Per cent, with a point or a comma."""
    name = " ".join(name.replace("\0", "").split())[:MAX_NAME]
    if not text.strip():
        return None, ""
    try:
        uas = float(text.strip().replace(",", "."))
    except ValueError:
        uas = -1.0
    if not 0 <= uas <= 100:
        return None, f"A published score is a {SCORE} from 0 to 100, such as 66.1."
    return (name or f"{uas:g}", uas), ""
