"""Read a CoNLL-U file: bytes in, a `Treebank` out, or `InvalidFile` with every incident found.

The steps, each a module: `source` (bytes within limits), `layout` (lines and columns), `numbering` (words,
ranges, empty nodes), `trees` (parents). All of them work on whole columns and never on one word at a time.
"""

from __future__ import annotations

import numpy as np

from evaluation.reading.fields import Ints, indices
from evaluation.reading.incidents import Collector, Incident, InvalidFile, Report
from evaluation.reading.layout import FORM, HEAD, Layout, lay_out
from evaluation.reading.numbering import Numbering, number
from evaluation.reading.source import Limits, Source, load, name_of
from evaluation.reading.treebank import Treebank
from evaluation.reading.trees import Forest

DEFAULT_LIMITS = Limits()


def read(source: Source, *, name: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Treebank:
    """Read a file from a path (`-` is standard input), bytes or an open binary file.

    >>> treebank = read(b"1\\tHello\\t_\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> treebank.words, treebank.sentences
    (1, 1)
    """
    treebank, report = examine(source, name=name, limits=limits)
    if treebank is None:
        raise InvalidFile(report)
    return treebank


def examine(source: Source, *, name: str | None, limits: Limits) -> tuple[Treebank | None, Report]:
    """The treebank, or None where it is invalid, with what was found in either case."""
    called = name_of(source, name)
    try:
        raw = load(source, name=called, limits=limits)
    except InvalidFile as refusal:
        return None, refusal.report
    collector = Collector(called, limits.max_incidents_per_kind)
    layout = lay_out(raw, collector, limits)
    if not len(layout):
        return None, collector.report
    numbering = number(layout, collector)
    treebank = _build(called, layout, numbering, collector, limits)
    report = collector.report
    return (treebank if report.valid else None), report


def _build(name: str, layout: Layout, numbering: Numbering, collector: Collector, limits: Limits) -> Treebank:
    word_rows = numbering.word_rows
    words = len(word_rows)
    line, sentence, well_formed = layout.line, layout.sentence, layout.well_formed
    if words < len(layout):
        line, sentence, well_formed = line[word_rows], sentence[word_rows], well_formed[word_rows]
    sentence_first_word = _firsts(sentence, layout.sentences)

    in_range = np.zeros(words, dtype=bool)
    token_rows, token = word_rows, np.arange(words)
    token_first = np.arange(words + 1)
    if len(numbering.range_rows):
        steps = np.zeros(words + 1, dtype=np.int64)
        steps[numbering.range_first] += 1
        steps[numbering.range_last + 1] -= 1
        in_range = np.cumsum(steps[:-1]) > 0
        begins_token = ~in_range
        begins_token[numbering.range_first] = True
        token = np.cumsum(begins_token) - 1
        token_first = np.append(indices(begins_token), words)
        token_rows = word_rows[token_first[:-1]]
        token_rows[token[numbering.range_first]] = numbering.range_rows

    _check_sentence_sizes(sentence_first_word, line, collector, limits)
    heads = layout.column(HEAD, word_rows)
    forest = Forest(heads, line, sentence, sentence_first_word, well_formed, collector)
    parent = forest.parents(numbering.broken)
    treebank = Treebank(
        name=name,
        report=Report(name),
        layout=layout,
        word_rows=word_rows,
        sentence=sentence,
        token=token,
        parent=parent,
        in_range=in_range,
        token_rows=token_rows,
        token_first=token_first,
        sentence_first_word=sentence_first_word,
        sentence_first_token=_firsts(layout.sentence[token_rows], layout.sentences),
    )
    _check_forms(treebank, collector)
    object.__setattr__(treebank, "report", collector.report)
    return treebank


def _firsts(group: Ints, groups: int) -> Ints:
    """Where each group begins in a sorted array of group numbers; one more entry marks the end."""
    firsts = np.zeros(groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=groups), out=firsts[1:])
    return firsts


def _check_sentence_sizes(first_word: Ints, line: Ints, collector: Collector, limits: Limits) -> None:
    size = np.diff(first_word)

    def describe(sentence: int) -> Incident:
        at = int(line[first_word[sentence]]) + 1
        found, expected = f"{size[sentence]:,} words", f"at most {limits.max_sentence_words:,}"
        return Incident("sentence-too-long", at, sentence + 1, found, expected)

    collector.add("sentence-too-long", indices(size > limits.max_sentence_words), describe)


def _check_forms(treebank: Treebank, collector: Collector) -> None:
    layout = treebank.layout
    well_formed = layout.well_formed
    forms = treebank.token_forms
    # A form of spaces alone is empty too; whether U+00A0 is such a space is the profile's to say.
    if ((forms.length == 0) | (layout.data[forms.start] == ord(" "))).any():
        empty = np.diff(treebank.surface_ascii.start) == 0
        tokens = indices(empty & well_formed[treebank.token_rows])
        collector.add("empty-form", tokens, treebank.empty_form)
    if treebank.in_range.any():
        words = indices(treebank.in_range)
        rows = treebank.word_rows[words]
        at_fault = (layout.column(FORM, rows).length == 0) & well_formed[rows]

        def describe(word: int) -> Incident:
            at = treebank.line(word), int(treebank.sentence[word]) + 1
            return Incident("empty-form-in-range", *at, "nothing", "a form")

        collector.add("empty-form-in-range", words[at_fault], describe)
