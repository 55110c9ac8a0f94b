"""The draws, checked against Philox written out from its publication (Salmon et al., 2011)."""

import hashlib

import numpy as np
import pytest

from evaluation.ranking.philox import BATCH, multiplicities

MASK = (1 << 64) - 1


def philox(counter: int, key: int) -> list[int]:
    """One block of Philox-4x64 with ten rounds: four words of 64 bits."""
    words = [counter >> (64 * place) & MASK for place in range(4)]
    keys = [key & MASK, key >> 64]
    for _ in range(10):
        first, second = words[0] * 0xD2E7470EE14C6C93, words[2] * 0xCA5A826395121157
        words = [
            (second >> 64) ^ words[1] ^ keys[0],
            second & MASK,
            (first >> 64) ^ words[3] ^ keys[1],
            first & MASK,
        ]
        keys = [(keys[0] + 0x9E3779B97F4A7C15) & MASK, (keys[1] + 0xBB67AE8584CAA73B) & MASK]
    return words


def obvious(seed: int, code: str, units: int, batch: int, replicates: int) -> list[list[int]]:
    """The definition in the module's first lines, one draw at a time."""
    key = int.from_bytes(hashlib.blake2b(f"{seed} {code}".encode(), digest_size=16).digest(), "little")
    rows = []
    # The generator counts before it makes a block, so the first block is that of the next counter.
    counter, block = batch << 64, []
    for _ in range(replicates):
        halves: list[int] = []
        while len(halves) < units:
            if not block:
                counter += 1
                block = philox(counter, key)
            word = block.pop(0)
            halves += [word & 0xFFFFFFFF, word >> 32]
        row = [0] * units
        for half in halves[:units]:
            row[half * units >> 32] += 1
        rows.append(row)
    return rows


def test_philox_gives_the_published_known_answers() -> None:
    """From `kat_vectors` of Random123, the authors' own library."""
    assert philox(0, 0) == [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    ones = philox((1 << 256) - 1, (1 << 128) - 1)
    assert ones == [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0]


@pytest.mark.parametrize(
    ("code", "units", "batch", "replicates"),
    [("he", 1, 0, 3), ("he", 2, 0, 3), ("he", 7, 0, 5), ("vi_ütb", 100, 3, 4), ("kk", 1047, 79, 3)],
)
def test_draws_follow_the_definition(code: str, units: int, batch: int, replicates: int) -> None:
    drawn = multiplicities(2017, code, units, batch, replicates)
    assert drawn.tolist() == obvious(2017, code, units, batch, replicates)


def test_draws_follow_the_definition_beyond_one_histogram() -> None:
    """So many units that every replicate has a histogram of its own."""
    drawn = multiplicities(1, "cs", 70_001, 0, 2)
    assert drawn.tolist() == obvious(1, "cs", 70_001, 0, 2)


def test_fewer_replicates_are_the_first_of_more() -> None:
    assert np.array_equal(multiplicities(1, "he", 33, 2)[:17], multiplicities(1, "he", 33, 2, 17))


def test_draws_differ_by_seed_test_set_and_batch() -> None:
    drawn = [
        multiplicities(*which)
        for which in ((1, "a", 50, 0), (2, "a", 50, 0), (1, "b", 50, 0), (1, "a", 50, 1))
    ]
    for index, item in enumerate(drawn):
        assert item.shape == (BATCH, 50)
        assert (item.sum(axis=1) == 50).all()
        assert not any(np.array_equal(item, other) for other in drawn[:index])


def test_every_unit_is_drawn_equally_often() -> None:
    """χ² with 99 degrees of freedom exceeds 149 once in a thousand seeds; the seed is fixed."""
    total = sum(multiplicities(1, "uniform", 100, batch).sum(axis=0) for batch in range(4))
    expected = 4 * BATCH
    assert float(((total - expected) ** 2 / expected).sum()) < 149


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="0 units"):
        multiplicities(1, "he", 0, 0)
    with pytest.raises(ValueError, match="at most 250"):
        multiplicities(1, "he", 3, 0, 251)
