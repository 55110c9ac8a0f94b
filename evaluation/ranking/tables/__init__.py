"""The tables of a shared task's overview paper.

They follow the CoNLL 2017 overview: the main ranking, the ranking by CLAS, segmentation, morphology, groups
and test sets; the tables of the analyses come in addition.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..results import LANGUAGE
from ..standings import Standings
from .rankings import ranking, side_by_side
from .relations import metric_agreement_table, neighbours
from .sets import by_test_set
from .table import Column, Table

__all__ = [
    "Column",
    "Table",
    "all_tables",
    "by_test_set",
    "metric_agreement_table",
    "neighbours",
    "ranking",
    "side_by_side",
]


def all_tables(standings: Standings, main: Sequence[str]) -> list[Table]:
    """Every table; `main` are the metrics that systems are ranked by."""
    results = standings.results
    profile = results.rules
    spans, morphology = results.available(profile.segmentation), results.available(profile.morphology)
    segmentation = [name for name in profile.secondary if name in spans]
    displayed = results.available(profile.displayed_metrics(main))
    ranked_by = [name for name in displayed if name not in segmentation or name in main]
    parts = [*results.groups, *(LANGUAGE + name for name in results.languages)]
    return [
        *(ranking(standings, metric) for metric in ranked_by),
        *_side_by_side(standings, "segmentation", segmentation, spans),
        *_side_by_side(standings, "morphology", morphology, morphology),
        *(ranking(standings, metric, part) for metric in main for part in parts),
        *(by_test_set(standings, metric) for metric in main[:1]),
        *(neighbours(standings, metric) for metric in main[:1]),
        metric_agreement_table(standings),
    ]


def _side_by_side(standings: Standings, name: str, metrics: Sequence[str], by: Sequence[str]) -> list[Table]:
    """Nothing if the profile has no such metrics."""
    return [side_by_side(standings, name, metrics, by[0])] if metrics else []
