"""Counts by unit as bytes."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.counts import Counts
from tests.evaluation.toy import counts

EXAMPLE = counts([(3, 4, 2), (300, 299, 250), (1, 0, 0)])


@given(st.data())
def test_what_is_stored_comes_back(data: st.DataObject) -> None:
    units, metrics = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    largest = data.draw(st.sampled_from([0, 255, 256, 65_535, 65_536, 2**31 - 1]))
    cells = data.draw(
        st.lists(st.integers(0, largest), min_size=units * metrics * 4, max_size=units * metrics * 4)
    )
    values = np.array(cells, dtype=np.int32).reshape(units, metrics, 4)
    before = Counts(tuple(f"metric {number}" for number in range(metrics)), values)
    after = Counts.from_bytes(before.to_bytes())
    assert after.metrics == before.metrics
    assert after.values.dtype == np.int32
    assert np.array_equal(after.values, before.values)


def test_equal_columns_are_stored_once() -> None:
    """Eleven metrics of the same counts take hardly more room than one."""
    sentences = np.random.default_rng(1).integers(0, 60, (2000, 3)).tolist()
    assert len(counts(sentences).to_bytes()) < 1.2 * len(counts(sentences, ["LAS"]).to_bytes())


def test_a_changed_byte_never_changes_a_count() -> None:
    unnoticed = 0
    for place in range(len(EXAMPLE.to_bytes())):
        stored = bytearray(EXAMPLE.to_bytes())
        stored[place] ^= 0x10
        try:
            after = Counts.from_bytes(bytes(stored))
        except ValueError:
            continue
        unnoticed += 1
        assert np.array_equal(after.values, EXAMPLE.values)
    # The header of compressed data may have a bit or two that mean nothing to whoever unpacks it.
    assert unnoticed <= 2


def test_truncated_counts_are_noticed() -> None:
    for length in range(len(EXAMPLE.to_bytes())):
        with pytest.raises(ValueError, match="counts"):
            Counts.from_bytes(EXAMPLE.to_bytes()[:length])


def test_more_than_was_announced_is_not_unpacked() -> None:
    """A bomb: a megabyte of zeros that claims to be ten bytes."""
    stored = EXAMPLE.to_bytes()
    start = stored.index(b"\n") + 1
    bomb = stored[:start] + (10).to_bytes(8, "little") + zlib.compress(bytes(1_000_000))
    with pytest.raises(ValueError, match="longer than declared"):
        Counts.from_bytes(bomb)


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"{}",
        b'{"metrics": ["LAS"], "units": 1, "type": "O", "columns": [0, 0, 0, 0]}',
        b'{"metrics": ["LAS"], "units": 1, "type": "<u1", "columns": [0, 0, 0, 9]}',
        b'{"metrics": ["LAS"], "units": -1, "type": "<u1", "columns": [0, 0, 0, 0]}',
        b'{"metrics": 7, "units": 1, "type": "<u1", "columns": [0, 0, 0, 0]}',
        b'{"metrics": ["LAS"], "units": "1", "type": "<u1", "columns": "x"}',
    ],
)
def test_bytes_that_are_not_counts_are_refused(header: bytes) -> None:
    stored = EXAMPLE.to_bytes()
    start = stored.index(b"\n") + 1
    body = header + b"\n" + b"\x01"
    with pytest.raises(ValueError, match="damaged counts"):
        Counts.from_bytes(stored[:start] + len(body).to_bytes(8, "little") + zlib.compress(body))
