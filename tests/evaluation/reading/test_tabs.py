"""Line ends and tabs are found wherever they are."""

import numpy as np
import pytest

from evaluation.reading.fields import pad
from evaluation.reading.tabs import find_line_ends, find_tabs


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("begin", [0, 3])
def test_every_line_end_and_tab_of_a_part_is_found(share: float, begin: int) -> None:
    chance = np.random.default_rng(7)
    # Longer than what is searched at a time, and not a multiple of eight.
    size = (1 << 18) + 1003
    raw = np.where(chance.random(size) < share, chance.choice([9, 10], size), 65).astype(np.uint8)
    data, end = pad(raw.tobytes()), size - 5
    expected = begin + np.flatnonzero(raw[begin:end] == 10)
    assert np.array_equal(find_line_ends(data, begin, end), expected)
    expected = begin + np.flatnonzero(raw[begin:end] == 9)
    assert np.array_equal(find_tabs(data, begin, end, np.dtype(np.int32)), expected)
