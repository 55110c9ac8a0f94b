"""An analysis of judgements as a JSON document."""

from __future__ import annotations

from typing import Any

from .analyse import Analysis, Estimate, MetricResult


def build_document(analysis: Analysis) -> dict[str, Any]:
    """Items are keyed by the number of their sentence, as text."""
    table, aggregation = analysis.table, analysis.aggregation
    items = [str(item) for item in table.items]
    chosen = [table.choices[index] for index in aggregation.choice]
    undetermined = [item for item, flag in zip(table.items, aggregation.undetermined, strict=True) if flag]
    return {
        "items": len(items),
        "judgements": int((table.labels >= 0).sum()),
        "sentences": {
            "mean_length": analysis.sentences.mean_length,
            "mean_depth": analysis.sentences.mean_depth,
            "judgements_per_item": list(analysis.sentences.judgements_per_item),
        },
        "performance": {
            name: dict(zip(table.choices, scores, strict=False))
            for name, scores in analysis.sentences.performance.items()
        },
        "agreement": {name: estimate.value for name, estimate in analysis.agreement.items()},
        "agreement_intervals": {name: _interval(value) for name, value in analysis.agreement.items()},
        "mace": {
            "choices": dict(zip(items, chosen, strict=True)),
            "entropy": dict(zip(items, map(float, aggregation.entropy), strict=True)),
            "competence": dict(zip(table.annotators, map(float, aggregation.competence), strict=True)),
            "undetermined": undetermined,
            "log_likelihood": aggregation.log_likelihood,
        },
        "majority": {
            item: table.choices[index] if index >= 0 else None
            for item, index in zip(items, analysis.majority, strict=True)
        },
        "metrics": {name: _metric(result) for name, result in analysis.metrics.items()},
        "between_metrics": {
            f"{left} {right}": value for (left, right), value in analysis.between_metrics.items()
        },
        "preference": {name: chosen.count(name) for name in table.choices},
        "preference_intervals": {name: _interval(value) for name, value in analysis.preference.items()},
        "length_and_agreement": analysis.length_and_agreement,
        "contradicted": list(analysis.contradicted),
    }


def _metric(result: MetricResult) -> dict[str, Any]:
    return {
        "spearman": result.spearman.value,
        "spearman_interval": _interval(result.spearman),
        "agreement": result.agreement.value,
        "agreement_interval": _interval(result.agreement),
        "ties": result.ties,
        "fisher_p": result.fisher_p,
        "paired_p": result.paired_p,
        "agreement_p": result.agreement_p,
        "by_length": dict(result.by_length),
    }


def _interval(estimate: Estimate) -> list[float] | None:
    if estimate.low is None or estimate.high is None:
        return None
    return [estimate.low, estimate.high]
