"""Sentences under constraints: those of a run in which constraints changed most, and each with its trees.

In: an experiment that is done, one of its test sets and one of its runs. Out: `SentenceRow`s, or a
`ConstrainedSentence` of `evaluation.cascades`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import evaluation
from evaluation.cascades.sentence import ConstrainedSentence, constrain_sentence, sentence_of
from sharedtask.cascades.analyse import output_name
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.cascades.parts import Part, parts_of
from sharedtask.cascades.prepare import read_gold
from sharedtask.cascades.results import counts_of
from sharedtask.core import storage

PAGE = 25
ORDERS = {
    "repaired": "most repaired first",
    "destroyed": "most new errors first",
    "effective": "most effective constraints first",
    "uncovered": "not covered first",
    "number": "as in the file",
}
MAX_TEXT = 200


@dataclass(frozen=True, kw_only=True)
class SentenceRow:
    number: int
    """From 1."""
    text: str
    effective: int
    repaired: int
    destroyed: int
    is_covered: bool


@dataclass(frozen=True, kw_only=True)
class SentencePage:
    rows: Sequence[SentenceRow]
    page: int
    pages: int
    total: int


def list_sentences(each: ExperimentSet, run: str, order: str, page: int) -> SentencePage:
    """Sentences in which neither a constraint nor another arc made a difference come last."""
    counts = counts_of(each)
    effective, repaired, destroyed = counts.of_sentences(run)
    covered = counts.covered[counts.runs.index(run)]
    keys = {"repaired": repaired, "destroyed": destroyed, "effective": effective, "uncovered": 1 - covered}
    numbers = np.arange(counts.sentences)
    if order in keys:
        numbers = np.argsort(-keys[order], kind="stable")
    pages = max(1, -(-counts.sentences // PAGE))
    page = min(max(page, 1), pages)
    gold = read_gold(each)
    rows = [
        SentenceRow(
            number=number + 1,
            text=text_of(gold, number),
            effective=int(effective[number]),
            repaired=int(repaired[number]),
            destroyed=int(destroyed[number]),
            is_covered=bool(covered[number]),
        )
        for number in numbers[(page - 1) * PAGE : page * PAGE].tolist()
    ]
    return SentencePage(rows=rows, page=page, pages=pages, total=counts.sentences)


def text_of(gold: evaluation.Treebank, number: int) -> str:
    first, end = gold.sentence_first_token[number : number + 2].tolist()
    text = " ".join(gold.token_forms.text_at(token) for token in range(first, end))
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def read_sentence(experiment: Experiment, each: ExperimentSet, run: str, number: int) -> ConstrainedSentence:
    """`number` is from 1."""
    parts = {part.run: part for part in parts_of(experiment)}
    sources = [sentence_of(read_gold(each), number - 1)]
    sources += [sentence_of(read_output(parts[name], each), number - 1) for name in ("plain", run)]
    return constrain_sentence(sources[0], sources[1], sources[2], experiment.error_classes, run)


def read_output(part: Part, each: ExperimentSet) -> evaluation.Treebank:
    with storage.local_copy(output_name(part, each)) as path:
        return evaluation.read(path)
