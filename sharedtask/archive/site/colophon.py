"""The footer of every archived page: task, date of publication, version of the evaluator.

In: the first ranking. Out: HTML. It contains no current date: the same results give the same archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import evaluation
from sharedtask.standings.standing_view import VisibleStanding


@dataclass(frozen=True, kw_only=True)
class Colophon:
    title: str
    published: str
    signature: str

    @classmethod
    def of(cls, first: VisibleStanding) -> Colophon:
        publication = first.publication
        at = publication.at if publication else first.standing.computed_at
        return cls(
            title=first.phase.task.title, published=f"{at:%Y-%m-%d}", signature=first.standing.signature
        )

    @property
    def html(self) -> str:
        return (
            f'<div class="measure colophon"><p>Archived page of {escape(self.title)}. Results published '
            f"{self.published}; evaluator {escape(evaluation.VERSION)}. Gold, outputs "
            f"and counts are in the data package.</p><p><code>{escape(self.signature)}</code></p></div>"
        )
