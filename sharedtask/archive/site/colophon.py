"""The footer of every archived page: task, date of publication, version of the evaluator.

In: the first ranking. Out: HTML. It contains no current date: the same results give the same archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape

import evaluation
from sharedtask.standings.signature import signature_of
from sharedtask.standings.standing_access import gold_is_released
from sharedtask.standings.visible_standings import VisibleStanding


@dataclass(frozen=True, kw_only=True)
class Colophon:
    title: str
    published: str
    signature: str

    @classmethod
    def for_ranking(cls, first: VisibleStanding, *, at: datetime) -> Colophon:
        published = first.published_at or first.standing.computed_at
        is_released = gold_is_released(first.standing, at=at)
        return cls(
            title=first.phase.task.title,
            published=f"{published:%Y-%m-%d}",
            signature=signature_of(first.standing, is_released=is_released),
        )

    @property
    def html(self) -> str:
        return (
            f'<div class="measure colophon"><p>Archived page of {escape(self.title)}. Results published '
            f"{self.published}; evaluator {escape(evaluation.VERSION)}. Gold, outputs "
            f"and counts are in the data package.</p><p><code>{escape(self.signature)}</code></p></div>"
        )
