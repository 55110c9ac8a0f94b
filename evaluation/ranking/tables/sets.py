"""The table of test sets: how well the best system does on each, and which one it is."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from statistics import mean, stdev

from ..aggregate import ranks, sort_by_figure
from ..standings import Standings
from .table import NONE, Column, Table, text_column

# More winners of one test set are only counted.
_MAX_NAMED = 3


def by_test_set(standings: Standings, metric: str) -> Table:
    """Test sets ranked by their best score; mean and standard deviation are over the valid files."""
    results = standings.results
    profile, presentation = results.rules, results.presentation(metric)
    others = results.available(profile.secondary)
    second = next((name for name in others if name not in (metric, *profile.segmentation)), None)
    segmentation = results.available(profile.segmentation)[:2]
    figures = {code: _scores(standings, code, metric).values() for code in results.codes}
    none = 0.0 if presentation.better == "higher" else nan
    best = {code: presentation.best(values) if values else none for code, values in figures.items()}
    numbers = ranks(best, presentation=presentation)
    rows = []
    for code in sort_by_figure(best, presentation):
        scores = _scores(standings, code, metric)
        row = [str(numbers[code]), code, *_best(standings, scores, metric)]
        row += _best(standings, _scores(standings, code, second), second) if second else []
        row += [_best(standings, _scores(standings, code, name), name)[0] for name in segmentation]
        row.append(presentation.text(mean(scores.values())) if scores else NONE)
        row.append(presentation.text(stdev(scores.values())) if len(scores) > 1 else NONE)
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
    scores = {name: results.figures(name, code).get(metric) for name in results.systems}
    return {name: f1 for name, f1 in scores.items() if f1 is not None}


def _best(standings: Standings, scores: Mapping[str, float], metric: str) -> tuple[str, str]:
    """The best score as printed, and the systems that have it."""
    if not scores:
        return NONE, NONE
    presentation = standings.results.presentation(metric)
    best = presentation.text(presentation.best(scores.values()))
    winners = [
        name for name in sort_by_figure(scores, presentation) if presentation.text(scores[name]) == best
    ]
    return best, ", ".join(winners) if len(winners) <= _MAX_NAMED else f"{len(winners)} systems"
