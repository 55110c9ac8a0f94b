"""A report on a system on one page: scores, breakdowns, confusions and the worst sentences as trees.

In: a `Comparison`. Out: self-contained HTML, without scripts, fonts or external resources. Its size is
bounded for any files, because the numbers of rows, sentences and words per drawn sentence are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from ..scoring.breakdown import Breakdowns, break_down
from ..scoring.compare import Comparison
from ..scoring.counts import counts_by_unit, tallies
from ..signature import signature
from ..version import PROGRAM
from .diff import headline, worst_sentences
from .draw import STYLE, draw_both
from .glyphs import display_text, is_right_to_left
from .passage import Passage, Passages
from .tabulate import breakdown_table, confusion_list, confusion_table, score_table

SENTENCES = 12
MAX_SENTENCES = 60

_PAGE_STYLE = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
_MAX_DRAWN_WORDS = 90

_BREAKDOWNS = (
    ("relation", "Relation", "By relation", "Each word counts under its own relation, without subtypes."),
    (
        "upos",
        "UPOS",
        "By part of speech",
        "Gold words are grouped by their gold tag, system words by their system tag.",
    ),
    (
        "length",
        "Distance to head",
        "By dependency length",
        "Distance from a word to its head in words; 1 means adjacent.",
    ),
    ("direction", "Direction", "By direction", "Whether the head comes before or after its dependent."),
    (
        "signed_length",
        "Position of head",
        "By length and direction",
        "How many words before or after its dependent the head is.",
    ),
    (
        "sentence_length",
        "Words per sentence",
        "By sentence length",
        "Length of the gold sentence; a system word counts where its token begins.",
    ),
    (
        "subtype",
        "Relation",
        "By relation with subtype",
        "Here relations are compared in full, including subtypes.",
    ),
)


def report(comparison: Comparison, *, metric: str = "", sentences: int = SENTENCES) -> str:
    """The page for one comparison, with at most `sentences` trees.

    `metric` decides what an error is; it counts words, and is by default the first main metric.
    """
    metric = metric or comparison.profile.main[0]
    gold, system = display_text(comparison.gold.name, 80), display_text(comparison.system.name, 80)
    body = "".join(
        (
            _header(comparison, gold, system, metric),
            *_sections(comparison, break_down(comparison), metric),
            *_trees(comparison, metric, min(sentences, MAX_SENTENCES)),
        )
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(system)} against {escape(gold)}</title>"
        f"<style>{_PAGE_STYLE}{STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )


def _header(comparison: Comparison, gold: str, system: str, metric: str) -> str:
    profile, options = comparison.profile, comparison.options
    signature_line = signature(profile=profile.name, options=options, gold_sha256=comparison.gold.sha256)
    note = f"Breakdowns and sentences are by {metric}: {profile.presentations[metric].explanation}."
    sizes = [
        f"{name}: {side.sentences:,} sentences, {side.tokens:,} tokens, {side.words:,} words"
        for name, side in (("gold", comparison.gold), ("system", comparison.system))
    ]
    links = [("scores", "Scores"), *((name, heading) for name, _, heading, _ in _BREAKDOWNS)]
    links += [("confusion", "Confusions"), ("sentences", "Sentences with the most errors")]
    contents = "".join(f'<a href="#{name}">{escape(heading)}</a> ' for name, heading in links)
    return (
        f"<header><h1><bdi>{escape(system)}</bdi> <small>against</small> <bdi>{escape(gold)}</bdi></h1>"
        f"<p>{escape('; '.join(sizes))}.</p><p><code>{escape(signature_line)}</code></p></header>"
        f"<nav>{contents}</nav>"
        f'<section id="scores"><h2>Scores</h2>{score_table(tallies(comparison), profile.main)}'
        f'<p class="note">{escape(note)}</p></section>'
    )


def _sections(comparison: Comparison, breakdowns: Breakdowns, metric: str) -> Iterator[str]:
    metrics = dict.fromkeys((metric, *comparison.profile.breakdown, "LA"))
    punctuation = comparison.options.punctuation
    note = "" if punctuation == "all" else f" Punctuation is excluded ({punctuation})."
    for name, title, heading, explanation in _BREAKDOWNS:
        table = breakdown_table(getattr(breakdowns, name), title, tuple(metrics))
        if name == "subtype":
            table = f"<details><summary>Show table</summary>{table}</details>"
        yield (
            f'<section id="{name}"><h2>{escape(heading)}</h2><p class="note">{escape(explanation + note)}</p>'
            f"{table}</section>"
        )
    yield (
        '<section id="confusion"><h2>Relation confusions</h2>'
        '<p class="note">Aligned words, without subtypes: gold relations down, system relations across.</p>'
        f"{confusion_table(breakdowns.confusion)}{confusion_list(breakdowns.confusion)}</section>"
    )


def _trees(comparison: Comparison, metric: str, limit: int) -> Iterator[str]:
    worst = worst_sentences(counts_by_unit(comparison), metric)
    drawable = [
        sentence for sentence in worst if max(sentence.tally.gold, sentence.tally.system) <= _MAX_DRAWN_WORDS
    ]
    passages = Passages(comparison)
    note = f"{min(limit, len(drawable)):,} of {len(worst):,} sentences with {metric} errors are drawn."
    if len(drawable) < len(worst):
        note += f" For sentences of more than {_MAX_DRAWN_WORDS} words, use {PROGRAM} diff."
    yield (
        f'<section id="sentences"><h2>Sentences with the most errors</h2><p class="note">{note}</p>'
        f"{_LEGEND if worst else ''}"
    )
    for sentence in drawable[:limit]:
        passage = passages.passage_of(sentence.sentence)
        heading = f"<h3>{escape(headline(passage, sentence, metric))}</h3>"
        yield f"<article>{heading}{_text(passage)}{_draw(passage)}</article>"
    yield "</section>"


def _text(passage: Passage) -> str:
    if not passage.text:
        return ""
    direction = "rtl" if is_right_to_left([passage.text]) else "ltr"
    return f'<p class="text" dir="{direction}">{escape(display_text(passage.text, 600))}</p>'


def _draw(passage: Passage) -> str:
    words = max(len(passage.gold.words), len(passage.system.words))
    if words > _MAX_DRAWN_WORDS:
        return (
            f'<p class="note">{words:,} words are too many to draw here; use <code>{PROGRAM} diff</code>.</p>'
        )
    direction = "rtl" if passage.gold.is_right_to_left else "ltr"
    return (
        f'<div class="scroll drawn" role="region" tabindex="0" aria-label="Trees of sentence '
        f'{passage.sentence + 1}" dir="{direction}">{draw_both(passage)}</div>'
    )


_LEGEND = (
    '<ul class="legend">'
    '<li><svg class="tree" width="40" height="12" aria-hidden="true"><g class="system">'
    '<g class="arc wrong-head"><path d="M2 6H38"/></g></g></svg> wrong head in the system tree</li>'
    '<li><svg class="tree" width="40" height="12" aria-hidden="true"><g class="system">'
    '<g class="arc wrong-relation"><path d="M2 6H38"/></g></g></svg> correct head, wrong relation</li>'
    '<li><svg class="tree" width="40" height="12" aria-hidden="true"><g class="gold">'
    '<g class="arc wrong-head"><path d="M2 6H38"/></g></g></svg> gold arc missed by the system</li>'
    '<li><svg class="tree" width="40" height="16" aria-hidden="true"><g class="system">'
    '<g class="word unaligned"><rect class="box" x="2" y="2" width="36" height="12" rx="3"/></g></g></svg> '
    "word without a counterpart</li>"
    '<li><b class="underlined">TAG</b> wrong relation or part of speech</li></ul>'
)
