"""Where a system differs from gold, sentence by sentence, worst first, as text with both trees.

In: a `Comparison` and a metric. Out: lines for a terminal. Each row has the bars of both trees and a word.
Forms come last, so that their scripts cannot misalign the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.layout import COLUMNS, FEATS, LEMMA, UPOS, XPOS
from ..scoring.compare import Comparison
from ..scoring.counts import Counts, Tally
from ..scoring.metric import WordMetric
from ..scoring.profiles import OPTIONAL
from .glyphs import display_text, terminal_width
from .passage import Passage
from .sketch import bars
from .words import Tree, Word

# In a longer passage only the rows that differ and their neighbours are printed.
_LONG_ROWS = 100
_NEIGHBOURS = 2
_CELL = 24
LEGEND = (
    "► dependent, ● root, … head not shown; ✗ wrong head or relation, ≠ other difference, "
    "− missed by the system, + only in the system, · outside the gold sentence"
)
_KEY_COLUMNS = {
    "upos": UPOS,
    "xpos": XPOS,
    "feats": FEATS,
    "universal_feats": FEATS,
    "lemma": LEMMA,
    "lemma_if_gold": LEMMA,
}


@dataclass(frozen=True, slots=True)
class SentenceErrors:
    """A gold sentence and the counts of one metric in it."""

    sentence: int
    tally: Tally

    @property
    def errors(self) -> int:
        """The number of missed gold words or of superfluous system words, whichever is larger."""
        return _errors(self.tally.gold, self.tally.system, self.tally.correct)


@dataclass(frozen=True, slots=True)
class Palette:
    """The escape sequences for missed, wrong and unimportant text; empty without colour."""

    missed: str = ""
    wrong: str = ""
    faint: str = ""
    strong: str = ""
    end: str = ""


PLAIN = Palette()
COLOURED = Palette("\x1b[34m", "\x1b[31m", "\x1b[2m", "\x1b[1m", "\x1b[0m")


def worst_sentences(counts: Counts, metric: str) -> list[SentenceErrors]:
    """The sentences with errors in a metric, most errors first; `counts` are by sentence."""
    values = counts.values[:, counts.metrics.index(metric)].astype(np.int64)
    errors = np.maximum(values[:, 0], values[:, 1]) - values[:, 2]
    order = np.argsort(-errors, kind="stable")[: int(np.count_nonzero(errors > 0))]
    return [SentenceErrors(n, Tally(*values[n].tolist())) for n in order.tolist()]


def keys_of(comparison: Comparison, metric: str) -> tuple[str, ...]:
    """The keys to compare for a metric: those that the trees of the profile show, then its own."""
    displayed = comparison.profile.displayed
    definition = {**OPTIONAL, **comparison.profile.definitions}.get(metric)
    keys = definition.keys if isinstance(definition, WordMetric) else ()
    own = [key for key in keys if isinstance(key, str) and key in _KEY_COLUMNS]
    return (*displayed, *(key for key in own if key not in displayed))


def headline(passage: Passage, worst: SentenceErrors, metric: str) -> str:
    """The position and the counts of a passage, in one or two sentences."""
    sentence_id = display_text(passage.sentence_id, 60) if passage.sentence_id else "no sent_id"
    tally = worst.tally
    lines = f"gold line {passage.gold_line:,}, system line {passage.system_line:,}"
    counts = f"{tally.correct} correct, {tally.gold} in gold, {tally.system} in system"
    parts = [
        f"Sentence {passage.sentence + 1:,} ({sentence_id}; {lines}).",
        f"{metric} {100 * tally.f1:.2f}: {counts}.",
    ]
    if passage.system_sentences > 1:
        parts.append(f"The system has {passage.system_sentences} sentences here.")
    elif not passage.has_same_sentence:
        parts.append("The system's sentence is longer.")
    return " ".join(parts)


def passage_lines(passage: Passage, palette: Palette = PLAIN) -> Iterator[str]:
    """Both trees, one row per word."""
    rows = passage.rows
    of_gold = [n for n, (gold, _) in enumerate(rows) if gold is not None]
    of_system = [n for n, (_, system) in enumerate(rows) if system is not None]
    gold_bars = bars(passage.gold, of_gold, len(rows))
    system_bars = bars(passage.system, of_system, len(rows))
    gold_ranges, system_ranges = _range_forms(passage.gold), _range_forms(passage.system)
    is_printed = _printed_rows(passage)
    width = max(len(gold_bars[0]), 6), max(len(system_bars[0]), 6)
    titles = f"{'gold':<{width[0]}} {'system':<{width[1]}}   {'gold':<{_CELL}} {'system':<{_CELL}} word"
    yield f"{palette.faint}{titles}{palette.end}"
    skipped = 0
    for n, (g, s) in enumerate(rows):
        if not is_printed[n]:
            skipped += 1
            continue
        if skipped:
            yield f"{palette.faint}… {skipped} rows without differences{palette.end}"
            skipped = 0
        gold = passage.gold.words[g] if g is not None else None
        system = passage.system.words[s] if s is not None else None
        if system is not None and system.begins_sentence and n:
            rule = f"{'':<{width[0]}} {'─' * width[1]}"
            yield f"{palette.faint}{rule} the system starts a new sentence{palette.end}"
        word, range_form = (
            (gold, gold_ranges.get(g or 0)) if gold is not None else (system, system_ranges.get(s or 0))
        )
        assert word is not None
        lines = f"{gold_bars[n]:>{width[0]}} {system_bars[n]:>{width[1]}}"
        yield " ".join((lines, *_row(gold, system, palette), _describe(word, system, range_form or "")))
    if skipped:
        yield f"{palette.faint}… {skipped} rows without differences{palette.end}"


def _printed_rows(passage: Passage) -> Sequence[bool]:
    """Which rows to print: all of them, or in a long passage those near a difference."""
    if len(passage.rows) <= _LONG_ROWS:
        return [True] * len(passage.rows)
    has_error = [
        (g is not None and passage.gold.words[g].judgement.has_error)
        or (s is not None and passage.system.words[s].judgement.has_error)
        for g, s in passage.rows
    ]
    spread = np.convolve(has_error, np.ones(2 * _NEIGHBOURS + 1), mode="same") > 0
    return spread.tolist()  # type: ignore[no-any-return]


def _row(gold: Word | None, system: Word | None, palette: Palette) -> tuple[str, str, str]:
    """A mark, the gold head and relation, and those of the system where they differ."""
    if gold is None:
        assert system is not None
        is_inside = system.judgement.is_inside
        colour, mark = (palette.wrong, "+") if is_inside else (palette.faint, "·")
        return _colour(mark, colour, palette), " " * _CELL, _colour(_cell(system), colour, palette)
    if system is None:
        colour = palette.missed
        return _colour("−", colour, palette), _colour(_cell(gold), colour, palette), " " * _CELL
    if gold.judgement.wrong.isdisjoint(("head", "relation")):
        mark = _colour("≠", palette.wrong, palette) if gold.judgement.wrong else " "
        return mark, _cell(gold), _colour(f"{'=':<{_CELL}}", palette.faint, palette)
    return (
        _colour("✗", palette.wrong, palette),
        _colour(_cell(gold), palette.missed, palette),
        _colour(_cell(system), palette.wrong, palette),
    )


def _colour(text: str, colour: str, palette: Palette) -> str:
    return f"{colour}{text}{palette.end}"


def _cell(word: Word) -> str:
    id, head, relation = (
        display_text(word.id, 8),
        display_text(word.head_id, 8),
        display_text(word.relation, 14),
    )
    text = f"{id:>3} → {head:<3} {relation}"
    return text + " " * (_CELL - terminal_width(text))


def _describe(word: Word, system: Word | None, range_form: str) -> str:
    """The form, the tag, the multi-word token around the word, and the other columns that differ."""
    parts = [display_text(word.form)]
    if "upos" not in word.judgement.wrong:
        parts.append(display_text(word.upos))
    if range_form:
        parts.append(f"in “{display_text(range_form)}”")
    for key, column in _KEY_COLUMNS.items():
        if system is not None and key in word.judgement.wrong:
            expected, found = display_text(word.columns[column]), display_text(system.columns[column])
            parts.append(f"{COLUMNS[column]} {expected} ≠ {found}")
    return "  ".join(parts)


def _range_forms(tree: Tree) -> dict[int, str]:
    """The form of the multi-word token around each word that is in one."""
    return {place: token.form for token in tree.ranges for place in range(token.first, token.last + 1)}


def _errors(gold: int, system: int, correct: int) -> int:
    return max(gold, system) - correct
