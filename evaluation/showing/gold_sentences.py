"""An index of the sentences of a gold file, for lists, filters and extracting sentences.

In: a gold file. Out: `GoldSentences`, one entry per sentence, which is stored as bytes. It contains the text
of gold and is as secret as gold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..packing import Packed
from ..reading.fields import Ints
from ..reading.intern import intern
from ..reading.layout import FORM, LEMMA
from ..reading.treebank import Treebank
from ..scoring.statistics import nonprojective
from .passage import comment
from .relation_index import relation_codes, unique_pairs

_NEWLINE = ord("\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSentences(Packed):
    FORMAT = "gold sentences 2"

    # The start of each sentence's block, in bytes and in lines from 0; one more entry marks the end.
    begin: Ints
    line: Ints
    words: Ints
    # 1 if the descendants of some word are not contiguous.
    nonprojective: Ints
    # Pairs of a sentence and a relation (without subtype) in it, as an index into `relations`.
    relation_sentence: Ints
    relation: Ints
    relations: list[str]
    texts: list[str]
    ids: list[str]
    # The lemmas of each sentence, separated and surrounded by tabs.
    lemmas: list[str]


def gold_sentences(gold: Treebank) -> GoldSentences:
    sources = [gold.sentence_source(n) for n in range(gold.sentences)]
    texts = [comment(source, "text") for source in sources]
    names, codes = relation_codes(gold)
    sentence, relation = unique_pairs([(gold.sentence, codes)], len(names))
    return GoldSentences(
        begin=gold.layout.block_start,
        line=line_of(gold, gold.layout.block_start),
        words=np.diff(gold.sentence_first_word),
        nonprojective=nonprojective(gold).astype(np.int64),
        relation_sentence=sentence,
        relation=relation,
        relations=names,
        texts=[text or _join_forms(gold, n) for n, text in enumerate(texts)],
        ids=[comment(source, "sent_id") for source in sources],
        lemmas=list(_lemmas(gold)),
    )


def _lemmas(gold: Treebank) -> Iterable[str]:
    lemmas = intern(gold.column(LEMMA))
    names = [value.decode() for value in lemmas.values()]
    for codes in np.split(lemmas.codes, gold.sentence_first_word[1:-1]):
        yield "\t".join(("", *dict.fromkeys(names[code] for code in codes.tolist()), ""))


def _join_forms(gold: Treebank, sentence: int) -> str:
    first, last = gold.sentence_first_token[sentence : sentence + 2].tolist()
    forms = gold.layout.column(FORM, gold.token_rows[first:last])
    return " ".join(forms.text_at(n) for n in range(last - first))


def line_of(treebank: Treebank, begin: Ints) -> Ints:
    """The number of each byte's line, from 0."""
    return np.searchsorted(np.flatnonzero(treebank.layout.data == _NEWLINE), begin)
