"""UTF-8 is recognised as a decoder recognises it, and each line that is not UTF-8 is reported."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.reading.encoding import check_encoding
from evaluation.reading.incidents import Collector

# The first and the last byte of every range that the definition of UTF-8 distinguishes.
BOUNDARIES = b"\n\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"


def bad_lines(data: bytes) -> list[int | None]:
    collector = Collector("a file", 1000)
    check_encoding(bytearray(data), collector)
    return [incident.line for incident in collector.report.incidents]


def lines_that_do_not_decode(data: bytes) -> list[int]:
    bad = []
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            bad.append(number)
    return bad


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_sequence_of_boundaries_is_judged_as_by_a_decoder(length: int) -> None:
    for sequence in product(BOUNDARIES, repeat=length):
        data = bytes(sequence)
        assert bad_lines(data) == lines_that_do_not_decode(data), data


@settings(max_examples=500, derandomize=True)
@given(
    st.lists(st.sampled_from([bytes([byte]) for byte in BOUNDARIES]) | st.text(max_size=3).map(str.encode))
)
def test_longer_sequences_are_judged_as_by_a_decoder(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    assert bad_lines(data) == lines_that_do_not_decode(data)


@pytest.mark.parametrize("bad", [b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"])
def test_a_bad_line_far_inside_a_file_is_found(bad: bytes) -> None:
    good = "Äpfel und 梨\n".encode() * 30_000
    assert bad_lines(good + bad + b"\n" + good) == [30_001]


def test_a_character_of_four_bytes_is_no_error() -> None:
    assert bad_lines("🍎\n".encode() * 100_000) == []
