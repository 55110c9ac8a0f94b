"""Tables of how things relate: each system to the next one, and rankings by different metrics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..aggregate import format_f1
from ..analyses import agreement, deciding, record
from ..standings import Standings
from .table import NONE, Column, Table, text_column

# So many test sets are named before the rest is only counted.
_NAMED = 4


def neighbours(standings: Standings, metric: str) -> Table:
    """Each system against the next: difference, significance, and how the test sets fall."""
    results = standings.results
    places = standings.ranking(metric)
    tested = {(pair.a, pair.b): pair for pair in standings.pairs(metric)}
    rows = []
    for upper, lower in pairwise(places):
        a, b = upper.system, lower.system
        pair = tested.get((a, b))
        sets = record(results, a, b, metric)
        p, p_holm = (None, None) if pair is None else (pair.p, pair.p_holm)
        row = [a, b, format_f1(upper.f1 - lower.f1), _p(p), _p(p_holm)]
        row.append(f"{sets.wins}/{sets.ties}/{sets.losses}")
        row.append(_listed(deciding(results, a, b, metric, policy=standings.rules.missing)))
        rows.append(tuple(row))
    heads = ("Difference", "p", "p (Holm)", "Won/tied/lost")
    caption = (
        f"Each system compared with the next one by {metric}: test sets won, tied and lost, and the decisive "
        "ones, without any one of which the system would no longer be ahead."
    )
    reason = next((pair.reason for pair in tested.values() if pair.reason), "")
    caption += f" Holm-adjusted p values are omitted: {reason}." if reason else ""
    columns = (
        text_column("System"),
        text_column("Next"),
        *map(Column, heads),
        text_column("Decisive test sets"),
    )
    return Table("neighbours", caption, columns, tuple(rows))


def metrics(standings: Standings) -> Table:
    """How much the ranking depends on the metric: Kendall's τ between every two rankings."""
    names = standings.results.metrics
    found = agreement(standings, names)
    rows = tuple((one, *(_tau(found[one][other]) for other in names)) for one in names)
    columns = (text_column("Metric"), *map(Column, names))
    return Table("metrics", "Kendall's tau-b between the rankings by each pair of metrics.", columns, rows)


def _p(value: float | None) -> str:
    return NONE if value is None else f"{value:.4f}"


def _tau(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _listed(codes: Sequence[str]) -> str:
    more = f" and {len(codes) - _NAMED} more" if len(codes) > _NAMED else ""
    return ", ".join(codes[:_NAMED]) + more or NONE
