"""The average of a system's figures over test sets, as the profile says.

Usually it is the mean of the figures. A profile may take the means of precision and recall first and F1 from
these, or (`micro`) the figure of the counts of all test sets together. Metrics without counts always have the
mean: classes that were induced on different test sets have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import repeat
from math import nan

from ..scoring.metric import Metric, TableMetric
from ..scoring.profile import Averaging, Profile
from ..scoring.tally import Tally
from .aggregate import Policy, macro_average, mean_of
from .results import Results


def average(results: Results, system: str, metric: str, codes: Collection[str], policy: Policy) -> float:
    """The average over these test sets."""
    averaging = averaging_of(results, metric)
    if averaging == "figures":
        figures = {code: results.figures(system, code).get(metric) for code in codes}
        return macro_average(figures, policy, results.presentation(metric))
    tallies = {code: results.tallies(system, code).get(metric) for code in codes}
    return average_of_counts(tallies, averaging, policy, lambda code: gold_size(results, code, metric))


def averages(results: Results, metric: str, codes: Collection[str], policy: Policy) -> Mapping[str, float]:
    """The average of every system, computed once."""
    key = (metric, tuple(codes), policy)
    if key not in results.known_averages:
        results.known_averages[key] = _averages(results, metric, codes, policy)
    return results.known_averages[key]


def _averages(results: Results, metric: str, codes: Collection[str], policy: Policy) -> dict[str, float]:
    if averaging_of(results, metric) != "figures":
        return {name: average(results, name, metric, codes, policy) for name in results.systems}
    presentation, averages = results.presentation(metric), {}
    by_set = [results.figures_of_all(code, metric) for code in codes]
    by_system: Iterable[tuple[float | None, ...]] = zip(*by_set, strict=True) if by_set else repeat(())
    for name, figures in zip(results.systems, by_system, strict=False):
        present = [figure for figure in figures if figure is not None]
        averages[name] = mean_of(present, len(codes), policy, presentation)
    return averages


def average_of_counts(
    tallies: Mapping[str, Tally | None], averaging: str, policy: Policy, gold_size: Callable[[str], int]
) -> float:
    """By a rule that needs counts; None means a missing or invalid file.

    >>> files = {"he": Tally(10, 10, 5), "kk": Tally(30, 30, 30), "ug": None}
    >>> average_of_counts(files, "micro", "zero", lambda code: 30)
    0.6363636363636364
    >>> average_of_counts(files, "precision-recall", "exclude", lambda code: 30)
    0.75
    """
    if policy == "exclude" and all(tally is None for tally in tallies.values()):
        return nan
    if averaging == "micro":
        missing = [code for code, tally in tallies.items() if tally is None] if policy == "zero" else []
        parts = [tally for tally in tallies.values() if tally is not None]
        parts += [Tally(gold_size(code), 0, 0) for code in missing]
        return Tally(*(sum(getattr(t, name) for t in parts) for name in ("gold", "system", "correct"))).f1
    precision = macro_average({c: None if t is None else t.precision for c, t in tallies.items()}, policy)
    recall = macro_average({c: None if t is None else t.recall for c, t in tallies.items()}, policy)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def averaging_of(results: Results, metric: str) -> Averaging:
    """How the figures of a metric are averaged."""
    return averaging_by(results.rules, results.definitions[metric])


def averaging_by(profile: Profile, metric: Metric) -> Averaging:
    return "figures" if isinstance(metric, TableMetric) else profile.averaging


def averaged_files(results: Results, system: str, metric: str, codes: Collection[str], policy: Policy) -> int:
    """Over how many test sets the average is taken."""
    if policy == "zero" and results.presentation(metric).better == "higher":
        return len(codes)
    return sum(metric in results.figures(system, code) for code in codes)


def gold_size(results: Results, code: str, metric: str) -> int:
    """How many gold items a metric counts, known from any system; 0 if none has a valid file."""
    for system in results.systems:
        tally = results.tallies(system, code).get(metric)
        if tally is not None:
            return tally.gold
    return 0
