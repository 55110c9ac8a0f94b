"""Which heads every output of a test set gets right.

In: a gold file, and outputs with the same words. Out: `Attachments`, one mask over the gold words per output.
Tokens are given in this setting, so an output with other words is refused, at its first difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..reading.fields import Mask, equal, indices
from ..reading.incidents import visible
from ..reading.layout import FORM
from ..reading.read import read
from ..reading.source import printable
from ..reading.treebank import Treebank
from .folders import BadSeries, SeriesFiles, check_sizes


@dataclass(frozen=True, slots=True)
class Attachments:
    """One test set: `samples[size][sample]` and `systems[name]` say whose head is right."""

    name: str
    gold: Treebank
    samples: Mapping[int, Mapping[int, Mask]]
    systems: Mapping[str, Mask]

    def __post_init__(self) -> None:
        check_sizes(list(self.samples))


def read_attachments(files: SeriesFiles) -> Attachments:
    """Read and compare all files; raises BadSeries or InvalidFile about the first that cannot be used."""
    gold = read(files.gold, name=printable(str(files.gold)))
    samples = {
        size: {
            sample: right_heads(gold, read(path, name=printable(str(path))))
            for sample, path in of_size.items()
        }
        for size, of_size in files.samples.items()
    }
    systems = {
        name: right_heads(gold, read(path, name=printable(str(path)))) for name, path in files.systems.items()
    }
    return Attachments(files.name, gold, samples, systems)


def right_heads(gold: Treebank, system: Treebank) -> Mask:
    """For each gold word, whether the system gives it the same head; a root must be a root."""
    _check_words(gold, system)
    is_right: Mask = gold.parent == system.parent
    return is_right


def _check_words(gold: Treebank, system: Treebank) -> None:
    shared = min(gold.words, system.words)
    words = slice(0, shared)
    differs = ~equal(gold.column(FORM)[words], system.column(FORM)[words])
    differs |= gold.sentence[words] != system.sentence[words]
    # The same forms may be grouped into other multi-word tokens, or into tokens of other forms.
    differs |= gold.in_range[words] != system.in_range[words]
    differs |= gold.token[words] != system.token[words]
    differs |= ~equal(gold.token_forms[gold.token[words]], system.token_forms[system.token[words]])
    different = indices(differs)
    if len(different):
        raise BadSeries(_describe(gold, system, int(different[0])))
    if gold.words != system.words:
        raise BadSeries(_describe(gold, system, shared))


def _describe(gold: Treebank, system: Treebank, word: int) -> str:
    line = system.line(min(word, system.words - 1))
    return (
        f"{system.name}:{line}: the tokens differ from the gold file: found {_word(system, word)}, "
        f"expected {_word(gold, word)} ({gold.name}:{gold.line(min(word, gold.words - 1))}). "
        "All outputs of a series must have the words and sentences of the gold file."
    )


def _word(treebank: Treebank, word: int) -> str:
    if word >= treebank.words:
        return "the end of the file"
    sentence = int(treebank.sentence[word])
    number = word - int(treebank.sentence_first_word[sentence]) + 1
    form = visible(treebank.column(FORM).text_at(word))
    inside = ""
    if treebank.in_range[word]:
        inside = (
            f", in the multi-word token “{visible(treebank.token_forms.text_at(int(treebank.token[word])))}”"
        )
    return f"“{form}” as word {number} of sentence {sentence + 1}{inside}"
