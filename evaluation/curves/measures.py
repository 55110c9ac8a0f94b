"""All curves and scores of one test set, or their averages over several, as arrays.

In: the counts of a test set. Out: `Measures`, without a leading axis for the figures themselves, and with one
for replicates of them. The partition into simple and complex classes is that of the figures in both cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..ranking.philox import BATCH, multiplicities
from ..reading.fields import Mask
from .counts import Counts, Floats, Totals
from .figures import complexity, normalise, uas_by_output, uas_by_size

PARTS = ("overall", "simple", "complex")
LEAST_SENTENCES = 20
"""A smaller test set has no intervals."""


@dataclass(frozen=True, slots=True)
class Measures:
    """UAS in percent; NaN is undefined. Systems have the order of their names in `Counts`."""

    # […, sizes]: normalised UAS of all words.
    whole: Floats
    # […, sizes, classes].
    class_uas: Floats
    class_normalised: Floats
    # […, parts, sizes] and […, systems, parts], with the parts overall, simple and complex.
    curves: Floats
    system_uas: Floats


def measure(counts: Counts, totals: Totals, simple: Mask) -> Measures:
    """The measures of these totals under a partition of the classes."""
    of_parts = totals_of_parts(totals, simple)
    curves = np.swapaxes(uas_by_size(of_parts, counts.outputs_of_size), -1, -2)
    class_uas = uas_by_size(totals, counts.outputs_of_size)
    return Measures(
        whole=normalise(curves[..., 0, :], axis=-1),
        class_uas=class_uas,
        class_normalised=normalise(class_uas, axis=-2),
        curves=curves,
        system_uas=uas_by_output(of_parts)[..., list(counts.systems.values()), :],
    )


def totals_of_parts(totals: Totals, simple: Mask) -> Totals:
    return totals.merged([np.ones_like(simple), simple, ~simple])


def find_simple(counts: Counts, totals: Totals) -> Mask:
    """Which classes are simple: those with a negative COMPLEXITY."""
    everything = measure(counts, totals, np.ones(len(counts.classes.names), dtype=bool))
    area = complexity(counts.sizes, everything.whole, everything.class_normalised)
    simple: Mask = area < 0
    return simple


def resample(counts: Counts, simple: Mask, *, replicates: int, seed: int) -> Measures | None:
    """Replicates of the measures by drawing sentences; None if there are too few sentences."""
    if not replicates or counts.sentences < LEAST_SENTENCES:
        return None
    batches = [
        measure(
            counts,
            counts.resampled(multiplicities(seed, counts.name, counts.sentences, first // BATCH, size)),
            simple,
        )
        for first in range(0, replicates, BATCH)
        for size in [min(BATCH, replicates - first)]
    ]
    return _join(batches)


def _join(batches: Sequence[Measures]) -> Measures:
    return Measures(
        *(
            np.concatenate([getattr(batch, name) for batch in batches])
            for name in ("whole", "class_uas", "class_normalised", "curves", "system_uas")
        )
    )
