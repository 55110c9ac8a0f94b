"""A CoNLL-U file that has been read: its words, tokens and sentences as arrays over its bytes."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .characters import find_characters
from .enhanced import EnhancedGraph, build_graph
from .features import UniversalFeatures
from .fields import PADDING, Bytes, Fields, Ints, Mask, count_before, gather, indices, pad
from .incidents import Incident, InvalidFile, Report, visible
from .intern import intern
from .layout import DEPREL, FEATS, FORM, Layout

# U+0020 is removed by every profile, the other spaces of category Zs by `conll18` alone.
# They are listed because looking through all of Unicode would take longer than scoring a file.
ZS_SPACES = tuple(
    space.encode()
    for space in "\u0020\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000"
)
ASCII_SPACE = (b" ",)

_NEW_DOCUMENT = re.compile(rb"^#[ \t]*newdoc\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Surface:
    """The characters of a file with its spaces removed; token `t` covers the bytes start[t] to start[t + 1].

    Positions are bytes of UTF-8. In equal surfaces they correspond to the same characters.
    """

    data: Bytes
    start: Ints

    @property
    def size(self) -> int:
        return len(self.data) - PADDING

    def equals(self, other: Surface) -> bool:
        return np.array_equal(self.data, other.data)


@dataclass(frozen=True, slots=True)
class Labels:
    """Words grouped by a column of few values: word `w` has the value `names[codes[w]]`."""

    codes: Ints
    names: tuple[str, ...]

    @classmethod
    def from_fields(cls, fields: Fields) -> Labels:
        groups = intern(fields)
        return cls(groups.codes, tuple(value.decode() for value in groups.values()))


@dataclass(frozen=True)
class Treebank:
    """The result of `read`. Words, tokens and sentences count from 0 over the whole file.

    The arrays are read-only by convention: one treebank may be scored against many others, in threads.
    """

    name: str
    report: Report
    layout: Layout
    # Per word: row in the layout, sentence, token, parent (-1 for the root), and whether it is in a range.
    word_rows: Ints
    sentence: Ints
    token: Ints
    parent: Ints
    in_range: Mask
    # Per token: its row in the layout and its first word; `token_first` has one more entry for the end.
    token_rows: Ints
    token_first: Ints
    # Per sentence: its first word and its first token, each with one more entry for the end.
    sentence_first_word: Ints
    sentence_first_token: Ints

    @property
    def words(self) -> int:
        return len(self.word_rows)

    @property
    def tokens(self) -> int:
        return len(self.token_rows)

    @property
    def sentences(self) -> int:
        return len(self.sentence_first_word) - 1

    def column(self, index: int) -> Fields:
        """One column of every word; the constants of `reading.layout` name the columns."""
        if index not in self._columns:
            self._columns[index] = self.layout.column(index, self.word_rows)
        return self._columns[index]

    def rows_of(self, words: Ints) -> Ints:
        """The rows of some words in the layout."""
        return words if self.words == len(self.layout) else self.word_rows[words]

    @cached_property
    def token_forms(self) -> Fields:
        return self.layout.column(FORM, self.token_rows)

    @cached_property
    def _columns(self) -> dict[int, Fields]:
        return {}

    def line(self, word: int) -> int:
        """The line number of a word, from 1."""
        return int(self.layout.line[self.word_rows[word]]) + 1

    def sentence_source(self, sentence: int) -> str:
        """The lines of one sentence as in the file, including comments."""
        begin, end = self.layout.block_start[sentence : sentence + 2]
        return self.layout.data[begin:end].tobytes().decode()

    @cached_property
    def sha256(self) -> str:
        """The hash of the file's content with its line ends normalised."""
        return self.layout.sha256 or hashlib.sha256(self.layout.data[:-PADDING].tobytes()).hexdigest()

    @cached_property
    def relations(self) -> Labels:
        """The words grouped by DEPREL, including subtypes."""
        return Labels.from_fields(self.column(DEPREL))

    @cached_property
    def universal_relations(self) -> Labels:
        """The words grouped by DEPREL up to the first colon."""
        known: dict[str, int] = {}
        names = [name.split(":", 1)[0] for name in self.relations.names]
        of_value = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
        return Labels(of_value[self.relations.codes], tuple(known))

    @cached_property
    def universal_features(self) -> UniversalFeatures:
        """The universal features of every word; useful if a file is compared more than once."""
        return UniversalFeatures(self.column(FEATS))

    @cached_property
    def enhanced(self) -> EnhancedGraph:
        """The enhanced graphs, without empty nodes."""
        return build_graph(self)

    @cached_property
    def is_multiword(self) -> Mask:
        """Which tokens are ranges."""
        is_range = np.zeros(self.tokens, dtype=bool)
        is_range[self.token[self.in_range]] = True
        return is_range

    @cached_property
    def documents(self) -> Ints:
        """The document of each sentence, from 0; without `# newdoc` the file is one document."""
        matches = _NEW_DOCUMENT.finditer(self.layout.data[:-PADDING].data)
        marks = np.fromiter((match.start() for match in matches), dtype=np.int64)
        begins = np.zeros(self.sentences, dtype=np.int64)
        if len(marks):
            opens = np.searchsorted(self.layout.block_start, marks, side="right") - 1
            begins[np.minimum(opens, self.sentences - 1)] = 1
        begins[:1] = 0
        return np.cumsum(begins)

    @cached_property
    def surface_ascii(self) -> Surface:
        """The characters when only U+0020 is removed."""
        return _remove_spaces(*gather(self.token_forms), ASCII_SPACE)

    @cached_property
    def surface_zs(self) -> Surface:
        """The characters when all of Unicode category Zs is removed."""
        return _remove_spaces(self.surface_ascii.data, self.surface_ascii.start, ZS_SPACES)

    def surface(self, spaces: tuple[bytes, ...], like: Treebank | None = None) -> Surface:
        """The characters without `spaces`; raises InvalidFile if a token consists only of spaces.

        If the characters are the same as in `like`, and none of them is a space there, none is here.
        """
        surface = self.surface_ascii
        if spaces != ASCII_SPACE and not (
            like and like.is_free_of_spaces and surface.equals(like.surface_ascii)
        ):
            surface = self.surface_zs
        empty = indices(np.diff(surface.start) == 0)
        if len(empty):
            incidents = tuple(self.describe_empty_form(int(token)) for token in empty[:100])
            raise InvalidFile(Report(self.name, incidents, {"empty-form": len(empty)}))
        return surface

    @property
    def is_free_of_spaces(self) -> bool:
        """Whether no form contains a space other than U+0020."""
        return self.surface_zs.data is self.surface_ascii.data

    def describe_empty_form(self, token: int) -> Incident:
        row = int(self.token_rows[token])
        form = self.layout.column(FORM).text_at(row)
        found = f"“{visible(form)}”" if form else "nothing"
        location = int(self.layout.line[row]) + 1, int(self.layout.sentence[row]) + 1
        return Incident("empty-form", *location, found, "at least one character other than a space")


def _remove_spaces(data: Bytes, start: Ints, spaces: tuple[bytes, ...]) -> Surface:
    removed = find_characters(data, spaces)
    if removed is None:
        return Surface(data, start)
    return Surface(pad(data[:-PADDING][~removed].tobytes()), start - count_before(removed, start))
