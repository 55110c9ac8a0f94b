"""Several gold files over the same tokens: a score against each, and the one that is best for a system.

The first of them is the gold file, called `gold`; the others have names of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.source import Source
from ..reading.treebank import Treebank
from .compare import Comparison
from .counts import tables_by_unit, tallies
from .given_tokens import compare_tokens
from .options import Options
from .presentation import PLAIN, PRESENTATIONS, Presentation
from .profile import Profile
from .profiles import find_profile
from .score import InvalidGold, Score, figures_of, read_gold, score
from .units import Unit, find_units, resampling_unit

FIRST = "gold"
"""The name of the gold file among the references."""


@dataclass(frozen=True, slots=True)
class ReferenceScores:
    """The scores of one file by the names of the references, and the reference with the best figure.

    The best reference is one for the whole file: it is not chosen sentence by sentence.
    """

    scores: Mapping[str, Score]
    best: str


@dataclass(frozen=True, slots=True)
class ReferenceComparisons:
    """A file compared with each reference, with all figures, and the reference that counts."""

    comparisons: Mapping[str, Comparison]
    figures: Mapping[str, Mapping[str, float]]
    best: str


def score_references(
    references: Mapping[str, Treebank | Source],
    system: Treebank | Source,
    profile: str,
    *,
    metric: str = "",
    options: Options | None = None,
) -> ReferenceScores:
    """Score a file against each reference; `metric`, by default the first main one, decides which is best.

    Raises InvalidGold if a reference has other tokens than the first.
    """
    chosen = find_profile(profile)
    effective = chosen.options if options is None else options
    read = {
        name: gold if isinstance(gold, Treebank) else read_gold(gold, chosen, effective, name)
        for name, gold in references.items()
    }
    refuse_other_tokens(list(read.values()))
    scores = {name: score(gold, system, profile, options=options) for name, gold in read.items()}
    figures = {name: result.figures for name, result in scores.items()}
    return ReferenceScores(
        scores, best_reference(figures, [metric] if metric else chosen.main, chosen.presentations)
    )


def compare_references(
    references: Mapping[str, Treebank],
    system: Treebank,
    profile: Profile,
    options: Options,
    main: Sequence[str],
) -> ReferenceComparisons:
    """The first of the main metrics that the file has decides which reference is best."""
    comparisons = {name: Comparison(gold, system, profile, options) for name, gold in references.items()}
    figures = {name: _figures(comparison) for name, comparison in comparisons.items()}
    presentations = {**PRESENTATIONS, **profile.presentations}
    return ReferenceComparisons(comparisons, figures, best_reference(figures, main, presentations))


def _figures(comparison: Comparison) -> dict[str, float]:
    tables = tables_by_unit(comparison, find_units(comparison)) if comparison.profile.tables else {}
    return figures_of(comparison, tallies(comparison), tables)


def best_reference(
    figures: Mapping[str, Mapping[str, float]],
    main: Sequence[str],
    presentations: Mapping[str, Presentation],
) -> str:
    """The first of equally good ones. Without any of the main metrics, the first reference."""
    for metric in main:
        having = [name for name in figures if metric in figures[name]]
        if having:
            key = presentations.get(metric, PLAIN).sort_key
            return min(having, key=lambda name: key(figures[name][metric]))
    return next(iter(figures))


def refuse_other_tokens(references: Sequence[Treebank]) -> None:
    """Raises InvalidGold for the first reference with other tokens than the first one."""
    for gold in references[1:]:
        report = compare_tokens(references[0], gold)
        if not report.valid:
            raise InvalidGold(report)


def shared_unit(references: Collection[Treebank], requested: Unit) -> Unit:
    """What the bootstrap draws: documents only if all references mark the same ones."""
    first, *others = references
    same = all(np.array_equal(first.documents, other.documents) for other in others)
    return resampling_unit(first, requested) if same else "sentence"
