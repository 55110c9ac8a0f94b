"""The draws of the bootstrap: which units a replicate takes, and how often each.

They depend on the seed, the code of the test set, its number of units and the number of the replicate, and on
nothing else, so every system is resampled with the same draws on every machine and in any order.

The definition: replicates come in batches of 250. Batch `b` of a test set reads the raw words of Philox-4x64
with key = BLAKE2b-128 of `<seed> <code>` (little-endian), block after block, beginning with the block whose
counter is b · 2^64 + 1 (numpy raises the counter before it makes a block). A replicate over n units takes the
next ⌈n / 2⌉ words; each word gives its low and then its high 32 bits; a half h draws the unit ⌊h · n / 2^32⌋.
Raw words are the only part of numpy's generators that is used: the algorithm of Philox is published, while
numpy's ways to turn words into integers may change. No unit is favoured by more than n / 2^32.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

# Small enough that counts of replicates fit into a byte, large enough for efficient matrix products.
BATCH = 250
# Draws per histogram; this many fit into the processor's cache.
_DRAWS = 1 << 16


def multiplicities(
    seed: int, code: str, units: int, batch: int, replicates: int = BATCH
) -> NDArray[np.float32]:
    """How often each unit is drawn in each replicate of a batch: `replicates` rows, each of sum `units`.

    >>> multiplicities(1, "he", units=3, batch=0, replicates=2)
    array([[1., 0., 2.],
           [1., 0., 2.]], dtype=float32)
    """
    if not 0 <= replicates <= BATCH:
        raise ValueError(f"a batch has at most {BATCH} replicates, not {replicates}")
    if not 0 < units < 1 << 32:
        raise ValueError(f"a test set of {units} units cannot be resampled")
    words = np.random.Philox(key=draw_key(seed, code), counter=batch << 64)
    drawn = np.empty((replicates, units), dtype=np.float32)
    step = max(1, _DRAWS // units)
    for first in range(0, replicates, step):
        rows = min(step, replicates - first)
        raw = words.random_raw(rows * ((units + 1) // 2)).astype("<u8", copy=False)
        halves = raw.view("<u4").reshape(rows, -1)[:, :units]
        index = np.multiply(halves, np.uint64(units), dtype=np.uint64)
        index >>= np.uint64(32)
        # Each row gets its own range, so that one histogram serves all rows.
        index += (np.arange(rows, dtype=np.uint64) * np.uint64(units))[:, None]
        counted = np.bincount(index.ravel().view(np.int64), minlength=rows * units)
        drawn[first : first + rows] = counted.reshape(rows, units)
    return drawn


def draw_key(seed: int, code: str) -> int:
    return int.from_bytes(blake2b(f"{seed} {code}".encode(), digest_size=16).digest(), "little")
