"""Tasks that give tokens: a file must have the words of the input file, in the same sentences."""

from __future__ import annotations

import numpy as np

from ..reading.fields import Mask, equal, indices
from ..reading.incidents import Incident, Report, visible
from ..reading.layout import FORM
from ..reading.treebank import Treebank


def compare_tokens(given: Treebank, treebank: Treebank) -> Report:
    """The first difference in words or sentences, as a report about `treebank`; empty if there is none."""
    number = min(given.words, treebank.words)
    rows = np.arange(number)
    same = equal(given.column(FORM)[rows], treebank.column(FORM)[rows])
    same &= given.sentence[:number] == treebank.sentence[:number]
    same &= _same_tokens(given, treebank, number)
    differing = indices(~same)
    if not len(differing) and given.words == treebank.words:
        return Report(treebank.name)
    word = int(differing[0]) if len(differing) else number
    at = min(word, treebank.words - 1)
    incident = Incident(
        "tokens-differ",
        treebank.line(at),
        int(treebank.sentence[at]) + 1,
        _describe(treebank, word),
        _describe(given, word),
    )
    return Report(treebank.name, (incident,), {"tokens-differ": 1})


def _same_tokens(given: Treebank, treebank: Treebank, number: int) -> Mask:
    """For each word, whether it is in the same token: alone, or in a range with the same form."""
    both = given.token[:number], treebank.token[:number]
    same: Mask = (both[0] == both[1]) & (given.in_range[:number] == treebank.in_range[:number])
    in_ranges = indices(same & given.in_range[:number])
    forms = (side.token_forms[token[in_ranges]] for side, token in zip((given, treebank), both, strict=True))
    same[in_ranges] = equal(*forms)
    return same


def _describe(treebank: Treebank, word: int) -> str:
    if word >= treebank.words:
        return "the end of the file"
    form = visible(treebank.column(FORM).text_at(word))
    place = word - int(treebank.sentence_first_word[treebank.sentence[word]]) + 1
    inside = ""
    if treebank.in_range[word]:
        inside = f" in “{visible(treebank.token_forms.text_at(int(treebank.token[word])))}”"
    return f"“{form}”{inside} as word {place} of sentence {int(treebank.sentence[word]) + 1}"
