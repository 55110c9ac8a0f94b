"""Where a system differs from gold, sentence by sentence, the worst first, as text with both trees.

In: a `Comparison` and a metric. Out: lines for a terminal. Each row holds the bars of both trees and a word;
what a form is written in cannot disturb the columns, because forms come last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.layout import COLUMNS, FEATS, LEMMA, UPOS, XPOS
from ..scoring.compare import Comparison
from ..scoring.counts import Counts, Tally
from ..scoring.profiles import LABEL_ACCURACY
from .glyphs import cells, shown
from .passage import SHOWN_KEYS, Passage
from .sketch import bars
from .words import Tree, Word

# Of a longer passage only the rows that differ are shown, with their neighbours.
_LONG_ROWS = 100
_NEIGHBOURS = 2
_CELL = 24
LEGEND = (
    "► has a head, ● root, … head not shown; ✗ wrong head or relation, ≠ other difference, "
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
class Worst:
    """A gold sentence and what one metric counts in it."""

    sentence: int
    tally: Tally

    @property
    def errors(self) -> int:
        """Gold words missed or system words too many, whichever are more: what there is to mend."""
        return _errors(self.tally.gold, self.tally.system, self.tally.correct)


@dataclass(frozen=True, slots=True)
class Palette:
    """The escape sequences around what is missed, wrong and unimportant; empty without colour."""

    missed: str = ""
    wrong: str = ""
    faint: str = ""
    strong: str = ""
    end: str = ""


PLAIN = Palette()
COLOURED = Palette("\x1b[34m", "\x1b[31m", "\x1b[2m", "\x1b[1m", "\x1b[0m")


def worst_sentences(counts: Counts, metric: str) -> list[Worst]:
    """The sentences with errors in a metric, the most errors first; `counts` are by sentence."""
    values = counts.values[:, counts.metrics.index(metric)].astype(np.int64)
    errors = np.maximum(values[:, 0], values[:, 1]) - values[:, 2]
    order = np.argsort(-errors, kind="stable")[: int(np.count_nonzero(errors > 0))]
    return [Worst(n, Tally(*values[n].tolist())) for n in order.tolist()]


def keys_of(comparison: Comparison, metric: str) -> tuple[str, ...]:
    """The keys to compare for a metric: always those that the trees show, then its own."""
    metrics = {**comparison.profile.word_metrics, "LA": LABEL_ACCURACY}
    own = metrics[metric].keys if metric in metrics else ()
    return (*SHOWN_KEYS, *(key for key in own if key in _KEY_COLUMNS and key not in SHOWN_KEYS))


def headline(passage: Passage, worst: Worst, metric: str) -> str:
    """What a passage is and how bad it is, in one or two sentences."""
    of = shown(passage.sentence_id, 60) if passage.sentence_id else "no sent_id"
    tally = worst.tally
    lines = f"gold line {passage.gold_line:,}, system line {passage.system_line:,}"
    counts = f"{tally.correct} correct, {tally.gold} in gold, {tally.system} in system"
    parts = [
        f"Sentence {passage.sentence + 1:,} ({of}; {lines}).",
        f"{metric} {100 * tally.f1:.2f}: {counts}.",
    ]
    if passage.system_sentences > 1:
        parts.append(f"The system has {passage.system_sentences} sentences here.")
    elif not passage.has_same_sentence:
        parts.append("The system's sentence is longer.")
    return " ".join(parts)


def passage_lines(passage: Passage, palette: Palette = PLAIN) -> Iterator[str]:
    """Both trees, a row a word."""
    rows = passage.rows
    of_gold = [n for n, (gold, _) in enumerate(rows) if gold is not None]
    of_system = [n for n, (_, system) in enumerate(rows) if system is not None]
    gold_bars = bars(passage.gold, of_gold, len(rows))
    system_bars = bars(passage.system, of_system, len(rows))
    gold_held, system_held = _holding(passage.gold), _holding(passage.system)
    kept = _kept(passage)
    width = max(len(gold_bars[0]), 6), max(len(system_bars[0]), 6)
    titles = f"{'gold':<{width[0]}} {'system':<{width[1]}}   {'gold':<{_CELL}} {'system':<{_CELL}} word"
    yield f"{palette.faint}{titles}{palette.end}"
    left_out = 0
    for n, (g, s) in enumerate(rows):
        if not kept[n]:
            left_out += 1
            continue
        if left_out:
            yield f"{palette.faint}… {left_out} rows without differences{palette.end}"
            left_out = 0
        gold = passage.gold.words[g] if g is not None else None
        system = passage.system.words[s] if s is not None else None
        if system is not None and system.begins_sentence and n:
            rule = f"{'':<{width[0]}} {'─' * width[1]}"
            yield f"{palette.faint}{rule} the system starts a new sentence{palette.end}"
        word, held = (gold, gold_held.get(g or 0)) if gold is not None else (system, system_held.get(s or 0))
        assert word is not None
        lines = f"{gold_bars[n]:>{width[0]}} {system_bars[n]:>{width[1]}}"
        yield " ".join((lines, *_row(gold, system, palette), _described(word, system, held or "")))
    if left_out:
        yield f"{palette.faint}… {left_out} rows without differences{palette.end}"


def _kept(passage: Passage) -> Sequence[bool]:
    if len(passage.rows) <= _LONG_ROWS:
        return [True] * len(passage.rows)
    faulty = [
        (g is not None and passage.gold.words[g].judgement.is_faulty)
        or (s is not None and passage.system.words[s].judgement.is_faulty)
        for g, s in passage.rows
    ]
    spread = np.convolve(faulty, np.ones(2 * _NEIGHBOURS + 1), mode="same") > 0
    return spread.tolist()  # type: ignore[no-any-return]


def _row(gold: Word | None, system: Word | None, palette: Palette) -> tuple[str, str, str]:
    """A mark, then gold's head and relation, then the system's where they differ."""
    if gold is None:
        assert system is not None
        is_inside = system.judgement.is_inside
        colour, mark = (palette.wrong, "+") if is_inside else (palette.faint, "·")
        return _painted(mark, colour, palette), " " * _CELL, _painted(_cell(system), colour, palette)
    if system is None:
        colour = palette.missed
        return _painted("−", colour, palette), _painted(_cell(gold), colour, palette), " " * _CELL
    if gold.judgement.wrong.isdisjoint(("head", "relation")):
        mark = _painted("≠", palette.wrong, palette) if gold.judgement.wrong else " "
        return mark, _cell(gold), _painted(f"{'=':<{_CELL}}", palette.faint, palette)
    return (
        _painted("✗", palette.wrong, palette),
        _painted(_cell(gold), palette.missed, palette),
        _painted(_cell(system), palette.wrong, palette),
    )


def _painted(text: str, colour: str, palette: Palette) -> str:
    return f"{colour}{text}{palette.end}"


def _cell(word: Word) -> str:
    told = f"{shown(word.id, 8):>3} → {shown(word.head_id, 8):<3} {shown(word.relation, 14)}"
    return told + " " * (_CELL - cells(told))


def _described(word: Word, system: Word | None, held: str) -> str:
    """The form and the tag, the multi-word token that holds the word, and the other columns that differ."""
    parts = [shown(word.form)]
    if "upos" not in word.judgement.wrong:
        parts.append(shown(word.upos))
    if held:
        parts.append(f"in “{shown(held)}”")
    for key, column in _KEY_COLUMNS.items():
        if system is not None and key in word.judgement.wrong:
            parts.append(f"{COLUMNS[column]} {shown(word.columns[column])} ≠ {shown(system.columns[column])}")
    return "  ".join(parts)


def _holding(tree: Tree) -> dict[int, str]:
    """The form of the multi-word token over each word that is in one."""
    return {place: held.form for held in tree.ranges for place in range(held.first, held.last + 1)}


def _errors(gold: int, system: int, correct: int) -> int:
    return max(gold, system) - correct
