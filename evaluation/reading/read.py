"""Read a file, usually CoNLL-U: bytes in, a `Treebank` out, or `InvalidFile` with all incidents.

The steps, each a module: `source` (bytes within limits), `lines`, `numbering` (words, ranges, empty nodes),
`layout` (columns), `trees` (parents). All of them work on whole columns, never on single words; intermediate
results are computed for a block of words or lines at a time, so that memory stays within twenty times the
size of any file.
"""

from __future__ import annotations

import numpy as np

from .enhanced import check_graph
from .fields import Ints, indices, keep_freed_memory
from .formats import CONLLU, Format
from .incidents import Collector, Incident, InvalidFile, Report
from .layout import FORM, WordLayout, build_word_layout
from .lines import find_lines
from .numbering import number_words
from .source import Limits, Source, load, source_name
from .treebank import Treebank
from .trees import ROOT, Forest

DEFAULT_LIMITS = Limits()


def read(
    source: Source, *, name: str | None = None, limits: Limits = DEFAULT_LIMITS, format: Format = CONLLU
) -> Treebank:
    """Read a file from a path (`-` is standard input), bytes or an open binary file.

    >>> treebank = read(b"1\\tHello\\t_\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> treebank.words, treebank.sentences
    (1, 1)
    """
    treebank, report = examine(source, name=name, limits=limits, format=format)
    if treebank is None:
        raise InvalidFile(report)
    return treebank


def examine(
    source: Source, *, name: str | None, limits: Limits, format: Format = CONLLU
) -> tuple[Treebank | None, Report]:
    """The treebank, or None if it is invalid, and the report in either case."""
    keep_freed_memory()
    display_name = source_name(source, name)
    collector = Collector(display_name, limits.max_incidents_per_kind)
    try:
        word_layout = _find_words(source, display_name, collector, limits, format)
    except InvalidFile as refusal:
        return None, refusal.report
    treebank = _build(display_name, word_layout, collector, format) if word_layout else None
    report = collector.report
    return (treebank if report.valid else None), report


def _find_words(
    source: Source, name: str, collector: Collector, limits: Limits, format: Format
) -> WordLayout | None:
    """Lines, their IDs and their columns; intermediate results are freed when this function returns."""
    lines = find_lines(load(source, name=name, limits=limits), collector, limits, format)
    if not len(lines):
        return None
    return build_word_layout(lines, number_words(lines, collector, limits, format.plain))


def _build(name: str, word_layout: WordLayout, collector: Collector, format: Format) -> Treebank:
    layout, word_rows, ranges = word_layout.layout, word_layout.word_rows, word_layout.ranges
    words = len(word_rows)
    sentence = layout.sentence if words == len(layout) else layout.sentence[word_rows]
    sentence_first_word = _firsts(sentence, layout.sentences)

    in_range = np.zeros(words, dtype=bool)
    # Without ranges every word is a token.
    token_first = np.arange(words + 1)
    token_rows, token = word_rows, token_first[:-1]
    if len(ranges):
        steps = np.zeros(words + 1, dtype=np.int64)
        steps[ranges.first_word] += 1
        steps[ranges.last_word + 1] -= 1
        in_range = np.cumsum(steps[:-1]) > 0
        begins_token = ~in_range
        begins_token[ranges.first_word] = True
        token = np.cumsum(begins_token) - 1
        token_first = np.append(indices(begins_token), words)
        token_rows = word_rows[token_first[:-1]]
        token_rows[token[ranges.first_word]] = ranges.row

    forest = Forest(
        layout,
        word_rows,
        sentence,
        sentence_first_word,
        collector,
        several_roots=format.several_roots,
    )
    parent = forest.parents(word_layout.broken) if format.trees else np.full(words, ROOT)
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
    if format.enhanced and collector.report.valid:
        check_graph(treebank, collector)
    object.__setattr__(treebank, "report", collector.report)
    return treebank


def _firsts(group: Ints, groups: int) -> Ints:
    """Where each group begins in a sorted array of group numbers; one more entry marks the end."""
    firsts = np.zeros(groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=groups), out=firsts[1:])
    return firsts


def _check_forms(treebank: Treebank, collector: Collector) -> None:
    layout = treebank.layout
    well_formed = layout.well_formed
    forms = treebank.token_forms
    # A form that consists of spaces is also empty; the profile decides whether U+00A0 is a space.
    if ((forms.length == 0) | (layout.data[forms.start] == ord(" "))).any():
        empty = np.diff(treebank.surface_ascii.start) == 0
        tokens = indices(empty & well_formed[treebank.token_rows])
        collector.add("empty-form", tokens, treebank.describe_empty_form)
    if treebank.in_range.any():
        words = indices(treebank.in_range)
        rows = treebank.word_rows[words]
        is_empty = (layout.column(FORM, rows).length == 0) & well_formed[rows]

        def describe(word: int) -> Incident:
            location = treebank.line(word), int(treebank.sentence[word]) + 1
            return Incident("empty-form-in-range", *location, "nothing", "a form")

        collector.add("empty-form-in-range", words[is_empty], describe)
