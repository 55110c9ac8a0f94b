"""Other evaluators on the same bytes: the reference of these tests, and the one of `udtools`."""

import io

from udtools import udeval

import evaluation
from evaluation import InvalidFile, Options
from evaluation.scoring.compare import Comparison
from evaluation.scoring.counts import tallies
from tests.evaluation.reference import Invalid, Reference

Counts = dict[str, tuple[int, int, int, int | None]]


def ours(gold: bytes, system: bytes, profile: str, options: Options) -> Comparison | None:
    """None where the pair cannot be scored."""
    try:
        return evaluation.compare(gold, system, profile, options=options)
    except InvalidFile:
        return None


def totals(comparison: Comparison) -> Counts:
    return {
        name: (tally.gold, tally.system, tally.correct, tally.aligned)
        for name, tally in tallies(comparison).items()
    }


def reference(gold: bytes, system: bytes, profile: str, options: Options) -> Reference | None:
    try:
        return Reference(gold, system, profile, options.punctuation, options.subtypes)
    except Invalid:
        return None


def by_udtools(gold: bytes, system: bytes) -> Counts:
    files = [
        udeval.load_conllu(io.TextIOWrapper(io.BytesIO(data), "utf-8"), "file", {}) for data in (gold, system)
    ]
    scores = udeval.evaluate(*files)
    return {
        name: (score.gold_total, score.system_total, score.correct, score.aligned_total)
        for name, score in scores.items()
    }
