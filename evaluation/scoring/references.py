"""Several gold files over the same tokens: a score against each, and the one that is best for a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..reading.source import Source
from ..reading.treebank import Treebank
from .given_tokens import compare_tokens
from .options import Options
from .profiles import find_profile
from .score import InvalidGold, Score, read_gold, score


@dataclass(frozen=True, slots=True)
class ReferenceScores:
    """The scores of one file by the names of the references, and the reference with the best figure.

    The best reference is one for the whole file: it is not chosen sentence by sentence.
    """

    scores: Mapping[str, Score]
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
    first = next(iter(read.values()))
    for gold in read.values():
        report = compare_tokens(first, gold)
        if not report.valid:
            raise InvalidGold(report)
    scores = {name: score(gold, system, profile, options=options) for name, gold in read.items()}
    metric = metric or chosen.main[0]
    presentation = chosen.presentations[metric]
    best = min(scores, key=lambda name: presentation.sort_key(scores[name].figures[metric]))
    return ReferenceScores(scores, best)
