"""The figures of every metric for each gold sentence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .compare import Comparison
from .counts import counts_by_unit
from .metric import Metric, SpanMetric, TableMetric, WordMetric
from .profiles import definitions


def metrics_of_sentences(comparison: Comparison) -> list[str]:
    """Those that say more of a sentence than how many of its words are wrong: they are no table of keys.

    >>> from .score import compare
    >>> line = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t0:root\\t_\\n\\n"
    >>> metrics_of_sentences(compare(line, line, "conll18"))
    []
    >>> metrics_of_sentences(compare(line, line, "iwpt21"))
    ['ELAS', 'EULAS']
    """
    metrics = definitions(comparison.profile, comparison.options)
    return [name for name, metric in metrics.items() if not _is_table_of_keys(metric)]


def _is_table_of_keys(metric: Metric) -> bool:
    if isinstance(metric, WordMetric):
        return isinstance(metric.keep, str) and all(isinstance(key, str) for key in metric.keys)
    return isinstance(metric, SpanMetric)


def figures_by_sentence(comparison: Comparison) -> Mapping[str, list[float | None]]:
    """For every metric one figure per gold sentence; None where the metric counts nothing in it.

    >>> from .score import compare
    >>> line = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> figures = figures_by_sentence(compare(line, line, "plank15"))
    >>> figures["LAS"], figures["UCP"]
    ([1.0], [None])
    """
    counts = counts_by_unit(comparison)
    figures: dict[str, list[float | None]] = {}
    for name, metric in definitions(comparison.profile, comparison.options).items():
        if isinstance(metric, TableMetric):
            if counts.tables[metric.table].is_empty:
                # Such as that of tags, if none were submitted.
                figures[name] = [None] * counts.units
                continue
            tables = counts.tables[metric.table].by_unit().astype(np.float64)
            some = tables.sum(axis=(1, 2)) > 0
            values = metric.rule(tables).tolist()
        else:
            gold, system, correct, _ = counts.values[:, counts.metrics.index(name)].astype(np.int64).T
            some = gold + system > 0
            values = (2 * correct / np.maximum(gold + system, 1)).tolist()
        figures[name] = [value if counted else None for value, counted in zip(values, some, strict=True)]
    return figures
