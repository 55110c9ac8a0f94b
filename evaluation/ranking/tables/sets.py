"""The table of test sets: how well the best system does on each, and which one it is."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean, stdev

from ...scoring.profiles import PROFILES
from ..aggregate import format_f1, ranks, sort_by_figure
from ..standings import Standings
from .table import NONE, Column, Table, text_column

# More winners of one test set are only counted.
_MAX_NAMED = 3


def by_test_set(standings: Standings, metric: str) -> Table:
    """Test sets ranked by their best score; mean and standard deviation are over the valid files."""
    results = standings.results
    profile = PROFILES[results.profile]
    second = next((name for name in profile.secondary if name not in (metric, *profile.segmentation)), None)
    segmentation = profile.segmentation[:2]
    best = {code: max(_scores(standings, code, metric).values(), default=0.0) for code in results.codes}
    numbers = ranks(best)
    rows = []
    for code in sort_by_figure(best):
        scores = _scores(standings, code, metric)
        row = [str(numbers[code]), code, *_best(standings, scores)]
        row += _best(standings, _scores(standings, code, second)) if second else []
        row += [_best(standings, _scores(standings, code, name))[0] for name in segmentation]
        row.append(format_f1(mean(scores.values())) if scores else NONE)
        row.append(format_f1(stdev(scores.values())) if len(scores) > 1 else NONE)
        rows.append(tuple(row))
    columns = [Column("Rank"), text_column("Test set"), Column(f"Best {metric}"), text_column("System")]
    columns += [Column(f"Best {second}"), text_column("System")] if second else []
    columns += [Column(f"Best {name}") for name in segmentation]
    columns += [Column(f"Mean {metric}"), Column("SD")]
    caption = (
        f"Test sets ranked by their best {metric}. Mean and standard deviation of {metric} are over "
        "the systems with a valid file."
    )
    return Table("test-sets", caption, tuple(columns), tuple(rows))


def _scores(standings: Standings, code: str, metric: str) -> dict[str, float]:
    """The score of every system with a valid file."""
    results = standings.results
    scores = {name: results.outcome(name, code).f1(metric) for name in results.systems}
    return {name: f1 for name, f1 in scores.items() if f1 is not None}


def _best(standings: Standings, scores: Mapping[str, float]) -> tuple[str, str]:
    """The best score as printed, and the systems that have it."""
    if not scores:
        return NONE, NONE
    best = format_f1(max(scores.values()))
    winners = [name for name in sort_by_figure(scores) if format_f1(scores[name]) == best]
    return best, ", ".join(winners) if len(winners) <= _MAX_NAMED else f"{len(winners)} systems"
