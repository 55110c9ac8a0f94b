"""Which files of a run are outliers. Pure functions: scores in, codes of test sets out.

In: figures by test set, of the run and of other systems, and which direction is better. Figures are
fractions, however they are printed, and so are the limits below. Where at least three other systems have
scores on every test set, each score is taken relative to their median, so that a hard treebank raises no
alarm; otherwise the score itself is used, and the distance has to be larger. A file is far off if it is worse
than the median of the run's files by a distance that is large both in absolute terms and in median absolute
deviations.

If most files of a run are broken, so is their median, and none is far off. Therefore a file near zero,
where other systems do well, is reported regardless of the other files of the run.

On the 2534 published scores of CoNLL 2017 (33 systems, 81 test sets), 48 files of 17 systems are far off,
such as no_nynorsk of one system at 6.6 where others have 81; another 68 files are near zero, 66 of them of
two systems that failed altogether. None of the nine best systems has an outlier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from evaluation import Presentation

MIN_FILES = 5
MIN_OTHERS = 3
# Distances from the median: with and without comparison with others, and in median absolute deviations, which
# `SIGMA` scales to the standard deviation of a normal distribution.
MIN_RELATIVE_DISTANCE = 0.15
MIN_ABSOLUTE_DISTANCE = 0.30
MIN_DEVIATIONS = 3.5
SIGMA = 1.4826
MIN_DEVIATION = 0.02
NEAR_ZERO = 0.05
GOOD_SCORE = 0.20


def far_off(
    scores: Mapping[str, float], others: Mapping[str, Sequence[float]], presentation: Presentation
) -> dict[str, float]:
    """The outliers by code of the test set, each with its distance from the median of the run's files."""
    if len(scores) < MIN_FILES:
        return {}
    relative = comparable_with_others(scores, others)
    values = {code: score - (median(others[code]) if relative else 0.0) for code, score in scores.items()}
    centre = median(values.values())
    deviation = max(MIN_DEVIATION, median(abs(value - centre) for value in values.values()))
    minimum = MIN_RELATIVE_DISTANCE if relative else MIN_ABSOLUTE_DISTANCE
    minimum = max(minimum, MIN_DEVIATIONS * SIGMA * deviation)
    distances = {code: presentation.advantage(centre, value) for code, value in values.items()}
    return {code: distance for code, distance in distances.items() if distance > minimum}


def comparable_with_others(scores: Mapping[str, float], others: Mapping[str, Sequence[float]]) -> bool:
    return all(len(others.get(code, ())) >= MIN_OTHERS for code in scores)


def near_zero(
    scores: Mapping[str, float], others: Mapping[str, Sequence[float]], presentation: Presentation
) -> list[str]:
    """Test sets on which the run scores near zero and most other systems do well.

    None if lower figures are better: then zero is the best, and there is no worst.
    """
    if presentation.better == "lower":
        return []
    return [
        code
        for code, score in scores.items()
        if score < NEAR_ZERO
        and len(others.get(code, ())) >= MIN_OTHERS
        and median(others[code]) >= GOOD_SCORE
    ]
