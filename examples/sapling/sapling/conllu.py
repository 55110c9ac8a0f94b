"""Sentences of CoNLL-U files: tokens and tags in, heads and relations out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL = range(8)
ROOT = 0
UNKNOWN = -1
"""The head of a word that has none yet, or that is not constrained."""


@dataclass(frozen=True)
class Sentence:
    """The lines of a sentence. Comments, ranges and empty nodes are kept for writing."""

    lines: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.words)

    def column(self, index: int) -> list[str]:
        return [word[index] for word in self.words]

    @property
    def heads(self) -> list[int]:
        """The head of each word; UNKNOWN where the column is `_`."""
        return [UNKNOWN if head == "_" else int(head) for head in self.column(HEAD)]

    @property
    def relations(self) -> list[str]:
        return self.column(DEPREL)

    def with_tree(self, heads: Iterable[int], relations: Iterable[str]) -> str:
        """The sentence as text, with these heads and relations."""
        arcs = zip(heads, relations, strict=True)
        written = []
        for line in self.lines:
            columns = line.split("\t")
            if columns[ID].isdecimal():
                head, relation = next(arcs)
                # Enhanced dependencies of the input would contradict the new tree.
                columns[HEAD : DEPREL + 2] = [str(head), relation, "_"]
            written.append("\t".join(columns))
        return "\n".join(written) + "\n\n"


def read(path: Path) -> list[Sentence]:
    with path.open(encoding="utf-8", newline="\n") as file:
        return list(_sentences(file, path))


def _sentences(lines: Iterable[str], path: Path) -> Iterator[Sentence]:
    block: list[str] = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        if line:
            if not line.startswith("#") and line.count("\t") != 9:
                raise ValueError(f"{path}, line {number}: a word has ten columns")
            block.append(line)
        elif block:
            yield _sentence(block)
            block = []
    if block:
        yield _sentence(block)


def _sentence(lines: list[str]) -> Sentence:
    columns = [tuple(line.split("\t")) for line in lines if not line.startswith("#")]
    return Sentence(tuple(lines), tuple(word for word in columns if word[ID].isdecimal()))
