"""Find input variants that carry annotation of gold that is not public.

In: a test set of a folder. Out: a problem if a variant has gold's trees, which no task gives to participants;
a warning if it has gold's tags, lemmas or features, which some tasks give on purpose. Words are matched by
their place in the text, so that a variant may be segmented differently. A variant that agrees with gold on
nearly all words counts as gold: no parser does that, but gold with a few changes would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from evaluation import FORMATS, Format
from evaluation.reading.nine_columns import rearrange_nine_columns
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import FolderGold, FolderInput, FolderTestSet
from sharedtask.folders.surface import REMOVE, is_number

Place = tuple[int, int]
"""The number of characters before a token, and the number of the word in it."""
ROOT: Place = (-1, 0)
HEAD = 6
TREES = {HEAD: "heads", 7: "relations", 8: "enhanced graphs"}
"""By the number of the column in CoNLL-U, counted from 0."""
TAGS = {2: "lemmas", 3: "universal tags", 4: "language-specific tags", 5: "features"}
COLUMNS = sorted({*TREES, *TAGS})
AGREEMENT = 0.99
EMPTY = ("", "_")


@dataclass(frozen=True)
class Word:
    form: str
    values: Mapping[int, str | Place]
    """By column, without empty ones. The head is a place, because its number depends on the segmentation."""


def words_of(content: bytes) -> dict[Place, Word]:
    """Lenient: files that are not CoNLL-U are reported by other checks."""
    words: dict[Place, Word] = {}
    sentence: list[tuple[Place, list[str]]] = []
    characters = inside_until = position = 0
    start = 0
    for line in [*content.decode("utf-8", errors="replace").splitlines(), ""]:
        columns = line.split("\t")
        if not line.strip():
            words |= resolve_heads(sentence)
            sentence, inside_until = [], 0
            continue
        first, hyphen, last = columns[0].partition("-")
        if len(columns) != 10 or not is_number(first) or (hyphen and not is_number(last)):
            continue
        if hyphen or int(first) > inside_until:
            start, position = characters, 0
            characters += len(columns[1].translate(REMOVE))
        if hyphen:
            inside_until = int(last)
        else:
            sentence.append(((start, position), columns))
            position += 1
    return words


def resolve_heads(sentence: list[tuple[Place, list[str]]]) -> dict[Place, Word]:
    places = {columns[0]: place for place, columns in sentence} | {"0": ROOT}
    words = {}
    for place, columns in sentence:
        values: dict[int, str | Place] = {
            column: columns[column] for column in COLUMNS if columns[column] not in EMPTY
        }
        if HEAD in values:
            values[HEAD] = places.get(columns[HEAD], columns[HEAD])
        words[place] = Word(columns[1], values)
    return words


def agreeing_columns(gold: Mapping[Place, Word], other: Mapping[Place, Word]) -> list[int]:
    """The columns in which nearly all words have gold's value, if gold has more than one value there."""
    agreeing = []
    for column in COLUMNS:
        values = {place: word.values[column] for place, word in gold.items() if column in word.values}
        if len(set(values.values())) < 2:
            continue
        equal = sum(has_value(other.get(place), gold[place].form, column, values[place]) for place in values)
        if equal >= AGREEMENT * len(values):
            agreeing.append(column)
    return agreeing


def has_value(word: Word | None, form: str, column: int, value: str | Place) -> bool:
    return word is not None and word.form == form and word.values.get(column) == value


def leaks(test_set: FolderTestSet, sealed: Iterable[FolderGold]) -> Iterator[tuple[FolderInput, list[int]]]:
    """Each variant with the columns that it has from one of these versions of gold."""
    variants = [
        (file, words_of(arranged(file.content, test_set.format)))
        for file in test_set.inputs
        if file.suffix == ".conllu"
    ]
    if not variants:
        return
    contents = [content for gold in sealed for content in gold.contents]
    versions = [words_of(arranged(content, test_set.format)) for content in contents]
    for file, words in variants:
        columns = {column for gold in versions for column in agreeing_columns(gold, words)}
        yield file, sorted(columns)


def arranged(content: bytes, format: Format) -> bytes:
    """With the columns of CoNLL-U."""
    if format.columns == FORMATS["nine"].columns:
        return bytes(rearrange_nine_columns(bytearray(content)))
    return content


def sealed_versions(test_set: FolderTestSet) -> list[FolderGold]:
    return [gold for gold in test_set.gold if not gold.public]


def check_trees(test_set: FolderTestSet, sealed: Iterable[FolderGold]) -> Iterator[Problem]:
    for file, columns in leaks(test_set, sealed):
        if trees := [TREES[column] for column in columns if column in TREES]:
            message = (
                f"{file.file} has the {join(trees)} of the gold of {test_set.code}, which is not public; "
                "participants would get the solution. Use the output of a baseline, or leave these columns "
                "empty (_)."
            )
            yield file.entry.problem("file", message)


def warnings(test_set: FolderTestSet) -> Iterator[str]:
    for file, columns in leaks(test_set, sealed_versions(test_set)):
        if tags := [TAGS[column] for column in columns if column in TAGS]:
            yield (
                f"the input {file.file} reveals the {join(tags)} of the gold of {test_set.code}, which is "
                "not public. Import it only if participants are meant to have them."
            )


def join(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
