"""Metrics of single sentences in the browser: orders and filters to choose from, and figures of a sentence.

In: an open browser. Out: choices for the form, and a row per system. Only metrics that say more than the
number of wrong words have figures of sentences: `evaluation.scoring.by_sentence` decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sharedtask.analysis.browser import Browser
from sharedtask.analysis.query import SORT
from sharedtask.competition.metrics import presentations_of


@dataclass(frozen=True, kw_only=True)
class SystemFigures:
    name: str
    figures: list[str]
    """In the order of the browser's metrics, as printed."""


def orders(browser: Browser) -> Mapping[str, str]:
    choices = dict(SORT)
    for metric in browser.metrics:
        choices |= {metric: f"worst {metric} first", f"-{metric}": f"best {metric} first"}
    return choices


def completeness(browser: Browser) -> Mapping[str, str]:
    """Empty if no metric has a word for a sentence in which everything is correct."""
    presentations = presentations_of(browser.analysed.test_set.task)
    choices: dict[str, str] = {}
    for metric in browser.metrics:
        if complete := presentations[metric].complete:
            choices |= {metric: f"{complete} ({metric})", f"-{metric}": f"not {complete} ({metric})"}
    return {"": "any", **choices} if choices else {}


def figures_of_sentence(browser: Browser, number: int) -> list[SystemFigures]:
    """Of the chosen systems."""
    presentations = presentations_of(browser.analysed.test_set.task)
    return [
        SystemFigures(
            name=system.name,
            figures=[
                presentations[metric].text(
                    float(browser.sentences[system.analysis].figures_by(metric)[number])
                )
                for metric in browser.metrics
            ],
        )
        for system in browser.chosen
    ]
