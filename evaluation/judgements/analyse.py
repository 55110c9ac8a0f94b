"""Everything that the judgements of a pair of systems say: about the annotators, the systems and the metrics.

In: a table of judgements, and what is measured on the judged sentences. Out: an `Analysis` with 95%
intervals by a bootstrap over items, with the same draws for all figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ranking.philox import BATCH, multiplicities
from . import agreement, mace
from .correlation import (
    agreement_with_people,
    fisher_z_p,
    rank_correlation,
    resample_agreement,
    resample_spearman,
    signs_of,
    spearman,
)
from .measures import Measures
from .table import MISSING, JudgementTable

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]

REPLICATES = 1000
SEED = 1
LENGTH_BINS = (10, 20, 30)
"""Sentences of at most so many words; longer ones are a last bin."""
CONTRADICTION = 0.75
"""The share of annotators from which an item counts as a clear choice of people."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure with its interval; None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """How well one metric agrees with people."""

    spearman: Estimate
    agreement: Estimate
    """Of a metric that has nothing to count in any of the sentences, such as verbs, it is not defined."""
    ties: int
    """Items on which the metric is the same for both systems."""
    fisher_p: float | None
    """Of the difference from the main metric, as if the samples were independent, like the paper."""
    paired_p: float | None
    """Of the same difference by the paired bootstrap over items, two-sided."""
    agreement_p: float | None
    """Of the difference from the agreement of the main metric, likewise."""
    by_length: Mapping[str, float | None]
    """Spearman's ρ for each bin of sentence lengths."""


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """The judged sentences."""

    mean_length: float
    mean_depth: float | None
    """Of the gold trees; None without gold."""
    judgements_per_item: tuple[int, int]
    """The smallest and the largest number."""
    performance: Mapping[str, tuple[float, float]]
    """F1 of both systems over these sentences, by metric of the profile."""


@dataclass(frozen=True, kw_only=True)
class Analysis:
    table: JudgementTable
    sentences: Sentences
    agreement: Mapping[str, Estimate]
    aggregation: mace.Aggregation
    majority: NDArray[np.int64]
    """By item: the choice of most annotators, or -1 for a draw."""
    preference: Mapping[str, Estimate]
    """The share of items for which each choice was aggregated."""
    metrics: Mapping[str, MetricResult]
    between_metrics: Mapping[tuple[str, str], float | None]
    length_and_agreement: float | None
    """Spearman's ρ between the length of a sentence and the share of annotators who agree on it."""
    contradicted: Sequence[int]
    """Items on which the annotators clearly contradict the main metric."""


def analyse(
    table: JudgementTable,
    measures: Measures,
    main: str | None,
    *,
    groups: NDArray[np.int64] | None = None,
    seed: int = SEED,
    replicates: int = REPLICATES,
) -> Analysis:
    """`measures` are over the items of the table; without gold they have no metrics, and `main` is None.

    `groups` are the test sets of the items, if there are several: choices are aggregated in each of them.
    """
    metrics, lengths = measures.signs, measures.lengths
    weights = _draw(seed, len(table.items), replicates)
    aggregation = mace.aggregate_groups(
        table.labels,
        len(table.choices),
        np.zeros(len(table.items), np.int64) if groups is None else groups,
        seed=seed,
    )
    people = signs_of(aggregation.choice.astype(np.int8))
    majority, share = _majority(table)
    return Analysis(
        table=table,
        sentences=_sentences(table, measures),
        agreement=_agreement(table, weights),
        aggregation=aggregation,
        majority=majority,
        preference=_preference(table, aggregation, weights),
        metrics=_compare_metrics(table, measures, main, people, weights) if main else {},
        between_metrics=_between(metrics),
        length_and_agreement=rank_correlation(lengths.astype(float), share),
        contradicted=_contradicted(table, majority, share, metrics[main]) if main else (),
    )


def _sentences(table: JudgementTable, measures: Measures) -> Sentences:
    per_item = (table.labels != MISSING).sum(axis=1)
    return Sentences(
        mean_length=float(measures.lengths.mean()),
        mean_depth=None if measures.depths is None else float(measures.depths.mean()),
        judgements_per_item=(int(per_item.min()), int(per_item.max())),
        performance={name: _f1(tallies) for name, tallies in measures.tallies.items()},
    )


def _f1(tallies: NDArray[np.int64]) -> tuple[float, float]:
    """Of both systems, from systems × sentences × (gold, system, correct)."""
    sums = tallies.sum(axis=1)
    first, second = (
        2 * correct / (gold + system) if gold + system else 0.0 for gold, system, correct in sums.tolist()
    )
    return first, second


def _draw(seed: int, items: int, replicates: int) -> Floats:
    """How often each item is drawn in each replicate."""
    batches = [
        multiplicities(seed, "judgements", items, batch, min(BATCH, replicates - batch * BATCH))
        for batch in range(-(-replicates // BATCH))
    ]
    return np.concatenate(batches).astype(float)


def _estimate(value: float | None, replicates: Floats) -> Estimate:
    defined = replicates[~np.isnan(replicates)]
    if value is None or not len(defined):
        return Estimate(value=value)
    low, high = np.percentile(defined, [2.5, 97.5])
    return Estimate(value=value, low=float(low), high=float(high))


def _agreement(table: JudgementTable, weights: Floats) -> Mapping[str, Estimate]:
    measured = agreement.measure(table.labels, len(table.choices))
    resampled = agreement.resample(table.labels, len(table.choices), weights)
    return {name: _estimate(getattr(measured, name), values) for name, values in resampled.items()}


def _majority(table: JudgementTable) -> tuple[NDArray[np.int64], Floats]:
    """By item the most frequent choice, -1 for a draw, and the share of annotators who made it."""
    counts = np.stack([(table.labels == choice).sum(axis=1) for choice in range(len(table.choices))], axis=1)
    most = counts.max(axis=1)
    drawn = (counts == most[:, None]).sum(axis=1) > 1
    return np.where(drawn, MISSING, counts.argmax(axis=1)), most / np.maximum(counts.sum(axis=1), 1)


def _preference(
    table: JudgementTable, aggregation: mace.Aggregation, weights: Floats
) -> Mapping[str, Estimate]:
    items = len(table.items)
    return {
        name: _estimate(
            float((aggregation.choice == choice).mean()), weights @ (aggregation.choice == choice) / items
        )
        for choice, name in enumerate(table.choices)
    }


def _compare_metrics(
    table: JudgementTable,
    measures: Measures,
    main: str,
    people: Signs,
    weights: Floats,
) -> Mapping[str, MetricResult]:
    metrics = measures.signs
    resampled = {name: resample_spearman(signs, people, weights) for name, signs in metrics.items()}
    agreeing = {name: resample_agreement(table.labels, signs, weights) for name, signs in metrics.items()}
    of_main = spearman(metrics[main], people)
    bins = length_bins(measures.lengths)
    results = {}
    for name, signs in metrics.items():
        rho = spearman(signs, people)
        counts_something = bool(measures.counts_something[name].any())
        results[name] = MetricResult(
            spearman=_estimate(rho, resampled[name]),
            agreement=(
                _estimate(agreement_with_people(table.labels, signs), agreeing[name])
                if counts_something
                else Estimate(value=None)
            ),
            ties=int((signs == 0).sum()),
            fisher_p=(
                None
                if name == main or rho is None or of_main is None
                else fisher_z_p(rho, of_main, len(table.items))
            ),
            paired_p=None if name == main else _two_sided_p(resampled[name] - resampled[main]),
            agreement_p=(
                _two_sided_p(agreeing[name] - agreeing[main]) if counts_something and name != main else None
            ),
            by_length={label: spearman(signs[rows], people[rows]) for label, rows in bins.items()},
        )
    return results


def _two_sided_p(differences: Floats) -> float | None:
    """Replicates in which a correlation is undefined do not count."""
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return None
    below, above = (1 + int((side >= 0).sum()) for side in (-defined, defined))
    return min(1.0, 2 * min(below, above) / (1 + len(defined)))


def _between(metrics: Mapping[str, Signs]) -> Mapping[tuple[str, str], float | None]:
    names = list(metrics)
    return {
        (left, right): spearman(metrics[left], metrics[right])
        for index, left in enumerate(names)
        for right in names[index + 1 :]
    }


def length_bins(lengths: NDArray[np.int64]) -> Mapping[str, NDArray[np.bool_]]:
    """Masks of the items whose sentences have 1–10, 11–20, 21–30 and more words."""
    edges = (0, *LENGTH_BINS)
    bins = {
        f"{low + 1}–{high}": (low < lengths) & (lengths <= high)
        for low, high in zip(edges, LENGTH_BINS, strict=False)
    }
    return {**bins, f"{edges[-1] + 1}+": lengths > edges[-1]}


def _contradicted(
    table: JudgementTable, majority: NDArray[np.int64], share: Floats, main: Signs
) -> Sequence[int]:
    people = np.where(majority == MISSING, 0, signs_of(majority.astype(np.int8)))
    rows = (people * main == -1) & (share >= CONTRADICTION)
    return [item for item, row in zip(table.items, rows, strict=True) if row]
