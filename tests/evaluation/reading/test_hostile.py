"""Any bytes give incidents or scores: thousands of corrupted files, huge files under lowered limits."""

import gzip
import io
import random
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluation
from evaluation import Limits
from evaluation.reading.fields import Fields, pad
from evaluation.reading.intern import intern
from evaluation.scoring.subsequence import _by_bits, _by_table
from tests.evaluation.hostile import check_bytes, check_case, check_report
from tests.evaluation.mutate import TOKENS, mutated

DEMO = sorted((Path(__file__).parents[3] / "demo" / "gold").glob("*.conllu"))
LINE = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"


@contextmanager
def bounded(*, megabytes: float, seconds: float = 60) -> Iterator[None]:
    """What is done here stays within memory (that of Python and numpy) and within time."""
    tracemalloc.start()
    began = time.perf_counter()
    try:
        yield
        assert time.perf_counter() - began < seconds
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("batch", range(10))
def test_spoiled_files(batch: int) -> None:
    outcomes = Counter(check_case(number) for number in range(250 * batch, 250 * (batch + 1)))
    # Both outcomes must be common, or the cases would not test much.
    assert outcomes[True] > 10 and outcomes[False] > 100


@settings(max_examples=300, derandomize=True)
@given(st.lists(st.sampled_from(TOKENS) | st.binary(max_size=8), max_size=60))
def test_files_of_significant_pieces(pieces: list[bytes]) -> None:
    check_bytes(LINE + b"\n", b"".join(pieces), "conll18")


@pytest.mark.parametrize("path", DEMO, ids=lambda path: path.stem)
def test_spoiled_demo_files(path: Path) -> None:
    gold = path.read_bytes()
    chance = random.Random(path.stem)
    for number in range(12):
        check_bytes(gold, mutated(gold, chance), ("conll17", "conll18")[number % 2])


class Stream(io.RawIOBase):
    """A file that is made while it is read: `piece`, `times` over, and how much of it was asked for."""

    def __init__(self, piece: bytes, times: int) -> None:
        self._piece, self._left, self.given = piece, times, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        count = min(self._left, max(size // len(self._piece), 1))
        self._left -= count
        self.given += count * len(self._piece)
        return self._piece * count


def test_a_line_of_100_megabytes_is_refused_while_reading() -> None:
    stream = Stream(b"x" * 1000, 100_000)
    with bounded(megabytes=40):
        report = evaluation.validate(stream)  # type: ignore[arg-type]
    assert dict(report.counts) == {"line-too-long": 1}
    assert stream.given < 17_000_000


def test_a_file_of_one_endless_line_is_refused_while_reading() -> None:
    stream = Stream(LINE[:-1], 10**12)
    with bounded(megabytes=2):
        report = evaluation.validate(stream, limits=Limits(max_line_bytes=100_000))  # type: ignore[arg-type]
    assert dict(report.counts) == {"line-too-long": 1}
    assert stream.given < 1_000_000


def test_the_number_of_the_endless_line_is_told() -> None:
    head = (LINE + b"\r\n") * 4 + b"# comment\r"
    report = evaluation.validate(head + b"x" * 500_000, limits=Limits(max_line_bytes=100_000))
    assert [incident.line for incident in report.incidents] == [10]


def test_an_endless_file_is_refused_while_reading() -> None:
    stream = Stream(LINE + b"\n", 10**12)
    with bounded(megabytes=20):
        report = evaluation.validate(stream, limits=Limits(max_bytes=10_000_000))  # type: ignore[arg-type]
    assert dict(report.counts) == {"file-too-large": 1}
    assert stream.given < 11_000_000


def test_a_decompression_bomb_is_refused_while_reading() -> None:
    bomb = gzip.compress((LINE + b"\n") * 3_000_000)
    assert len(bomb) < 1_000_000
    with bounded(megabytes=12):
        report = evaluation.validate(bomb, limits=Limits(max_bytes=5_000_000))
    assert dict(report.counts) == {"file-too-large": 1}


def test_a_stream_that_returns_little_at_a_time() -> None:
    assert evaluation.validate(Stream(LINE + b"\n", 1)).valid  # type: ignore[arg-type]
    packed = gzip.compress(LINE + b"\n")
    assert evaluation.validate(Stream(packed, 1)).valid  # type: ignore[arg-type]


def test_a_million_sentences() -> None:
    many = (LINE + b"\n") * 1_000_000
    treebank = evaluation.read(many)
    assert (treebank.words, treebank.sentences) == (1_000_000, 1_000_000)
    assert evaluation.score(treebank, treebank).metrics["LAS"].correct == 1_000_000


@pytest.mark.parametrize(
    ("sentence", "id", "each"),
    [
        (b"x\n\n", "wrong-columns", 1),
        (LINE.replace(b"1", b"01") + b"\n", "id-malformed", 1),
        (LINE.replace(b"1", b"123456789012") + b"\n", "id-out-of-sequence", 1),
        (LINE.replace(b"1", b"2-1") + LINE + b"\n", "range-backwards", 1),
        (LINE.replace(b"0", b"_") + b"\n", "head-malformed", 1),
        (LINE.replace(b"0", b"7777777777") + b"\n", "head-outside", 1),
        (LINE.replace(b"0", b"1") + b"\n", "no-root", 1),
        (LINE + LINE.replace(b"1", b"2").replace(b"0", b"2") + b"\n", "cycle", 1),
        (LINE.replace(b"a", b"") + b"\n", "empty-form", 1),
        (LINE.replace(b"a", b"\xff") + b"\n", "not-utf8", 1),
        (LINE + b"#\n\n", "comment-inside-sentence", 1),
        (LINE + b"\n\n", "empty-sentence", 1),
    ],
)
def test_incidents_by_the_hundred_thousand_are_counted_and_capped(
    sentence: bytes, id: str, each: int
) -> None:
    data = (LINE + b"\n") + sentence * 100_000
    report = evaluation.validate(data, limits=Limits(max_incidents_per_kind=7))
    assert dict(report.counts) == {id: 100_000 * each}
    assert len(report.incidents) == 7


def test_a_million_incidents() -> None:
    report = evaluation.validate(b"x\n" * 1_000_000 + b"\n")
    assert (dict(report.counts), len(report.incidents)) == ({"wrong-columns": 1_000_000}, 100)
    check_report(report, b"\n" * 1_000_000)


def _words(columns: list[bytes]) -> bytes:
    """A sentence of as many words, each with these columns LEMMA to FEATS and DEPREL."""
    lines = [
        b"%d\ta\t%b\t%b\t%b\t%b\t%d\t%b\t_\t_\n" % (n, c, c, c, c, n - 1, c)
        for n, c in enumerate(columns, start=1)
    ]
    return b"".join(lines) + b"\n"


def test_columns_without_two_equal_values() -> None:
    distinct = [b"Case=%d|x" % n for n in range(100_000)]
    shifted = [b"x|Case=%d" % n for n in range(100_000)]
    began = time.perf_counter()
    metrics = evaluation.score(_words(distinct), _words(shifted)).metrics
    assert time.perf_counter() - began < 30
    assert (metrics["UFeats"].correct, metrics["UPOS"].correct, metrics["LAS"].correct) == (100_000, 0, 0)


def _colliding(count: int) -> list[bytes]:
    """Different values of 16 letters to which `fields` gives one and the same hash of 64 bits."""
    mix = 0x9E3779B97F4A7C15
    chance = np.random.default_rng(1)
    items: list[bytes] = []
    while len(items) < count:
        first = chance.integers(97, 123, (1_000_000, 8), dtype=np.uint8).view("<u8")[:, 0]
        before = (first ^ np.uint64(16 * mix % 2**64)) * np.uint64(mix)
        last = (before ^ np.uint64(0x1234567812345678)).view(np.uint8).reshape(-1, 8)
        good = np.flatnonzero(((last >= 48) & (last <= 122)).all(axis=1))
        items += [first[n].tobytes() + last[n].tobytes() for n in good]
    return items[:count]


def test_values_made_to_collide() -> None:
    values = _colliding(1000)
    assert len(set(values)) == 1000
    hashes = {
        ((16 * 0x9E3779B97F4A7C15 ^ _number(v[:8])) * 0x9E3779B97F4A7C15 ^ _number(v[8:])) % 2**64
        for v in values
    }
    assert len(hashes) == 1
    metrics = evaluation.score(_words(values), _words(values[::-1])).metrics
    assert (metrics["LAS"].correct, metrics["UAS"].correct) == (0, 1000)
    repeated = values * 3
    grouped = intern(_fields(repeated))
    assert [grouped.values()[code] for code in grouped.codes] == repeated
    assert len(grouped.examples) == 1000


def _number(value: bytes) -> int:
    return int.from_bytes(value, "little")


def _fields(values: list[bytes]) -> Fields:
    length = np.array([len(value) for value in values], dtype=np.int64)
    return Fields(pad(b"".join(values)), np.cumsum(length) - length, length)


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_those_of_a_dictionary(seed: int) -> None:
    chance = random.Random(seed)
    lengths = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 200, 256, 257, 300)
    pool = [bytes(chance.choices(b"ab", k=chance.choice(lengths))) for _ in range(400)]
    values = chance.choices(pool, k=5000)
    grouped = intern(_fields(values))
    assert [grouped.values()[code] for code in grouped.codes] == values
    assert len(grouped.examples) == len(set(values))


@pytest.mark.parametrize("seed", range(30))
def test_both_ways_to_a_longest_common_subsequence(seed: int) -> None:
    chance = random.Random(seed)
    alphabet = range(chance.choice((1, 2, 3, 5, 50)))
    gold, system = (chance.choices(alphabet, k=chance.randrange(1, 150)) for _ in range(2))
    assert _by_bits(gold, system) == _by_table(gold, system)


def _chained(shift: int, words: int) -> bytes:
    """Ranges of two letters that overlap those of another shift: the whole file is one region."""
    letters = [chr(97 + n * n % 5) for n in range(words)]
    lines = ["1\t" + letters[0] + "\t_\t_\t_\t_\t0\troot\t_\t_"] if shift else []
    for n in range(shift, words - 1, 2):
        lines.append(f"{n + 1}-{n + 2}\t{letters[n]}{letters[n + 1]}" + "\t_" * 8)
        for m in (n, n + 1):
            form = letters[(m * 7 + shift) % words]
            lines.append(f"{m + 1}\t{form}\t_\t_\t_\t_\t{min(m, 1)}\tdep\t_\t_")
    return "\n".join([*lines, "", ""]).encode()


def test_a_region_of_twenty_thousand_words_on_both_sides() -> None:
    gold, system = (evaluation.read(_chained(shift, 20_001)) for shift in (0, 1))
    # The last letter of one side is missing on the other.
    assert gold.words == 20_000 and system.words == 20_001
    with pytest.raises(evaluation.InvalidFile):
        evaluation.align(gold, system)
    gold = evaluation.read(
        _chained(0, 20_001)[:-1] + b"20001\t%b\t_\t_\t_\t_\t1\tdep\t_\t_\n\n" % _last(system)
    )
    with bounded(megabytes=60):
        alignment = evaluation.align(gold, system)
    assert 10_000 < len(alignment.gold) <= 20_001


def _last(treebank: evaluation.Treebank) -> bytes:
    data = treebank.surface_zs.data
    return data[treebank.surface_zs.size - 1 : treebank.surface_zs.size].tobytes()


def test_long_runs_of_combining_marks_do_not_stall_the_hint() -> None:
    marks = ("\u0301\u0327" * 200_000).encode()
    began = time.perf_counter()
    report = evaluation.validate(
        LINE.replace(b"a", b"a" + marks) + b"\n", text="a" + "\u0327\u0301" * 200_000
    )
    assert dict(report.counts) == {"text-differs": 1}
    assert time.perf_counter() - began < 10
