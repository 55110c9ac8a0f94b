"""Which files of a run are far below what they should be; figures in, codes out, nothing is looked up here.

In: F1 by test set, of the run and of other systems. A file is measured by its distance from the median of at
least three other systems there, so that a hard treebank is no alarm; where others are missing, by its score
alone, and the difference has to be larger. It is far below when its distance from the median of its siblings
is large in itself and in median absolute deviations.

Where most files of a run are broken their median is too, and none is far below it. Therefore a file with next
to nothing, where others have a good deal, is named whatever its siblings have.

Held against the 2534 published scores of CoNLL 2017 (33 systems, 81 test sets): 48 files of 17 systems are
far below, such as no_nynorsk of one of them at 6.6 where others have 81; 68 files more have next to nothing,
66 of them of two systems that broke down as a whole. Nothing is found in any of the nine best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

FEWEST_FILES = 5
FEWEST_OTHERS = 3
# Distances from the median, in absolute terms and in median absolute deviations scaled to a normal's sigma.
LEAST_DISTANCE_AGAINST_OTHERS = 0.15
LEAST_DISTANCE_BY_ITSELF = 0.30
DEVIATIONS = 3.5
SIGMA = 1.4826
SMALLEST_DEVIATION = 0.02
NOTHING = 0.05
A_GOOD_DEAL = 0.20


def far_below(scores: Mapping[str, float], others: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """By test set, how far below the run's other files it is; only those that are too far."""
    if len(scores) < FEWEST_FILES:
        return {}
    known = against_others(scores, others)
    values = {code: score - (median(others[code]) if known else 0.0) for code, score in scores.items()}
    centre = median(values.values())
    deviation = max(SMALLEST_DEVIATION, median(abs(value - centre) for value in values.values()))
    least = LEAST_DISTANCE_AGAINST_OTHERS if known else LEAST_DISTANCE_BY_ITSELF
    least = max(least, DEVIATIONS * SIGMA * deviation)
    return {code: centre - value for code, value in values.items() if centre - value > least}


def against_others(scores: Mapping[str, float], others: Mapping[str, Sequence[float]]) -> bool:
    return all(len(others.get(code, ())) >= FEWEST_OTHERS for code in scores)


def next_to_nothing(scores: Mapping[str, float], others: Mapping[str, Sequence[float]]) -> list[str]:
    """Test sets in which the run has nearly no word right and most others have a good deal."""
    return [
        code
        for code, score in scores.items()
        if score < NOTHING
        and len(others.get(code, ())) >= FEWEST_OTHERS
        and median(others[code]) >= A_GOOD_DEAL
    ]
