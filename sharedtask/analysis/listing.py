"""One page of the list of sentences.

In: an open browser and the number of the page. Out: `Listing`, some dozens of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator

from evaluation.showing.glyphs import display_text
from sharedtask.analysis.browser import Browser
from sharedtask.competition.metrics import presentation_of

ROWS_PER_PAGE = 40
LONGEST_TEXT = 240
LONGEST_ID = 60


@dataclass(frozen=True, kw_only=True)
class SentenceRow:
    number: int
    """From 1."""
    id: str
    text: str
    words: int
    nonprojective: bool
    segmented_differently: bool
    """A chosen system has other words or sentences here than gold."""
    errors: tuple[int, ...]
    """Of each chosen system."""
    mean_errors: float
    """Of all ranked systems."""
    systems_with_errors: int
    """Of the ranked systems."""
    figure: str = ""
    """By the metric that the list is sorted by, averaged over the examined systems."""


@dataclass(frozen=True, kw_only=True)
class Listing:
    page: Page[int]
    rows: list[SentenceRow]
    total: int
    ranked: int
    has_figures: bool
    """Whether they are sorted by a metric, which then has a column."""


def list_sentences(browser: Browser, page: str | None) -> Listing:
    numbers = Paginator(browser.matches.numbers.tolist(), ROWS_PER_PAGE).get_page(page)
    return Listing(
        page=numbers,
        rows=[sentence_row(browser, number) for number in numbers],
        total=len(browser.analysed.sentences.words),
        ranked=len(browser.analysed.ranked),
        has_figures=browser.matches.figures is not None,
    )


def sentence_row(browser: Browser, number: int) -> SentenceRow:
    gold = browser.analysed.sentences
    chosen = [browser.sentences[system.analysis] for system in browser.chosen]
    errors = [int(browser.sentences[system.analysis].errors[number]) for system in browser.analysed.ranked]
    return SentenceRow(
        number=number + 1,
        id=display_text(gold.ids[number], LONGEST_ID) if gold.ids[number] else "",
        text=display_text(gold.texts[number], LONGEST_TEXT),
        words=int(gold.words[number]),
        nonprojective=bool(gold.nonprojective[number]),
        segmented_differently=any(
            system.words_differ[number] or system.sentence_differs[number] for system in chosen
        ),
        errors=tuple(int(system.errors[number]) for system in chosen),
        mean_errors=sum(errors) / max(len(errors), 1),
        systems_with_errors=sum(map(bool, errors)),
        figure=figure_text(browser, number),
    )


def figure_text(browser: Browser, number: int) -> str:
    figures = browser.matches.figures
    if figures is None:
        return ""
    task, metric = browser.analysed.test_set.task, browser.query.sorting_metric
    return presentation_of(task, metric).text(float(figures[number]))
