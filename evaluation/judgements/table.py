"""Who preferred which tree: a table of items × annotators, read from tab-separated lines.

A file has the columns `sentence`, `annotator` and `choice` in a header line, then one judgement per line. An
item that an annotator did not judge has no line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MISSING = -1
EQUAL = "equal"
"""The choice of an annotator who finds both trees equally good, where a campaign allows it."""
COLUMNS = ("sentence", "annotator", "choice")
MAX_BYTES = 64 << 20


class BadJudgements(Exception):
    """The folder or file cannot be used; the message says where and why."""


@dataclass(frozen=True, kw_only=True)
class JudgementTable:
    """All judgements of a pair of systems."""

    items: Sequence[int]
    """Numbers of the judged sentences, counted from 1, in ascending order."""
    annotators: Sequence[str]
    choices: Sequence[str]
    """The two systems in the order of the comparison, then `equal` where it was allowed."""
    labels: NDArray[np.int8]
    """items × annotators: the index of the choice, or `MISSING`."""

    def select(self, rows: NDArray[np.bool_]) -> JudgementTable:
        """The table of some of its items."""
        items = [item for item, selected in zip(self.items, rows, strict=True) if selected]
        return JudgementTable(
            items=items, annotators=self.annotators, choices=self.choices, labels=self.labels[rows]
        )


def read_judgements(path: Path, systems: Sequence[str], sentences: int) -> JudgementTable:
    """Read a file of judgements about the outputs of two systems, which have this many sentences."""
    rows = read_rows(path, systems, sentences)
    if not rows:
        raise BadJudgements(f"{path}: has no judgements")
    choices = (*systems, EQUAL)
    return tabulate([(item, annotator, choices.index(choice)) for item, annotator, choice in rows], systems)


def read_rows(path: Path, systems: Sequence[str], sentences: int) -> list[tuple[int, str, str]]:
    """The judgements in the order of the file: sentence, annotator, choice."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadJudgements(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise BadJudgements(f"{path}: larger than {MAX_BYTES >> 20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadJudgements(f"{path}: line {line}: not UTF-8") from error
    rows = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    if tuple(rows[0].split("\t")) != COLUMNS:
        expected = "<tab>".join(COLUMNS)
        raise BadJudgements(f"{path}: line 1: expected the header {expected}, found {rows[0][:80]!r}")
    return _parse(path, rows[1:], (*systems, EQUAL), sentences)


def _parse(
    path: Path, rows: Sequence[str], choices: Sequence[str], sentences: int
) -> list[tuple[int, str, str]]:
    judgements: dict[tuple[int, str], str] = {}
    for number, row in enumerate(rows, start=2):
        place = f"{path}: line {number}"
        cells = row.split("\t")
        if len(cells) != len(COLUMNS):
            raise BadJudgements(f"{place}: expected {len(COLUMNS)} columns, found {len(cells)}")
        sentence, annotator, choice = cells
        if not (sentence.isascii() and sentence.isdigit() and 1 <= int(sentence[:18]) <= sentences):
            raise BadJudgements(
                f"{place}: expected a sentence number from 1 to {sentences}, found {sentence[:40]!r}"
            )
        if not annotator:
            raise BadJudgements(f"{place}: the annotator is empty")
        if not annotator.isprintable():
            raise BadJudgements(f"{place}: the annotator has control characters: {annotator[:40]!r}")
        if choice not in choices:
            raise BadJudgements(f"{place}: expected {', '.join(choices)}, found {choice[:40]!r}")
        key = (int(sentence), annotator)
        if key in judgements:
            raise BadJudgements(f"{place}: {annotator} has already judged sentence {sentence}")
        judgements[key] = choice
    return [(item, annotator, choice) for (item, annotator), choice in judgements.items()]


def tabulate(rows: Iterable[tuple[int, str, int]], systems: Sequence[str]) -> JudgementTable:
    """The table of judgements (item, annotator, index of the choice)."""
    rows = list(rows)
    items = sorted({item for item, _, _ in rows})
    annotators = sorted({annotator for _, annotator, _ in rows})
    row_of = {item: row for row, item in enumerate(items)}
    column_of = {annotator: column for column, annotator in enumerate(annotators)}
    labels = np.full((len(items), len(annotators)), MISSING, dtype=np.int8)
    for item, annotator, choice in rows:
        labels[row_of[item], column_of[annotator]] = choice
    choices = (*systems, EQUAL) if (labels == len(systems)).any() else tuple(systems)
    return JudgementTable(items=items, annotators=annotators, choices=choices, labels=labels)
