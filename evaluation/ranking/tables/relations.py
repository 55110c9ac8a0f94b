"""Tables that relate systems to their neighbours, and rankings by different metrics to each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..analyses import decisive_sets, metric_agreement, win_record
from ..standings import Standings
from .table import NONE, Column, Table, text_column

# Further test sets are only counted.
_MAX_NAMED = 4


def neighbours(standings: Standings, metric: str) -> Table:
    """Each system compared with the next: difference, significance, and results by test set."""
    results = standings.results
    places = standings.ranking(metric)
    presentation = results.presentation(metric)
    tested = {(pair.a, pair.b): pair for pair in standings.pairs(metric)}
    rows = []
    for upper, lower in pairwise(places):
        a, b = upper.system, lower.system
        pair = tested.get((a, b))
        sets = win_record(results, a, b, metric, policy=standings.rules.missing)
        p, p_holm = (None, None) if pair is None else (pair.p, pair.p_holm)
        row = [a, b, presentation.text(presentation.advantage(upper.f1, lower.f1)), _p(p), _p(p_holm)]
        row.append(f"{sets.wins}/{sets.ties}/{sets.losses}")
        row.append(_listed(decisive_sets(results, a, b, metric, policy=standings.rules.missing)))
        rows.append(tuple(row))
    heads = ("Difference", "p", "p (Holm)", "Won/tied/lost")
    caption = (
        f"Each system compared with the next by {metric}: test sets won, tied and lost. A test set is "
        "decisive if the system would not be ahead without it."
    )
    if standings.rules.missing == "exclude" or presentation.better == "lower":
        caption += " Test sets that one of the two has no score for are not compared."
    reason = next((pair.reason for pair in tested.values() if pair.reason), "")
    if tested:
        caption += f" p: {standings.rules.test}."
    omitted = "P-values" if any(pair.p is None for pair in tested.values()) else "Holm-corrected p-values"
    caption += f" {omitted} are omitted: {reason}." if reason else ""
    columns = (
        text_column("System"),
        text_column("Next"),
        *map(Column, heads),
        text_column("Decisive test sets"),
    )
    return Table("neighbours", caption, columns, tuple(rows))


def metric_agreement_table(standings: Standings) -> Table:
    """How much the ranking depends on the metric: Kendall's τ between each pair of rankings."""
    names = standings.results.metrics
    tau = metric_agreement(standings, names)
    rows = tuple((first, *(_tau(tau[first][second]) for second in names)) for first in names)
    columns = (text_column("Metric"), *map(Column, names))
    return Table("metrics", "Kendall's tau-b between the rankings by each pair of metrics.", columns, rows)


def _p(value: float | None) -> str:
    return NONE if value is None else f"{value:.4f}"


def _tau(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _listed(codes: Sequence[str]) -> str:
    more = f" and {len(codes) - _MAX_NAMED} more" if len(codes) > _MAX_NAMED else ""
    return ", ".join(codes[:_MAX_NAMED]) + more or NONE
