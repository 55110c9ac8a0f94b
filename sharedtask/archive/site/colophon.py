"""What every page of an archive says at its end: what it is, when it was published, by which version.

In: the standing that comes first. Out: HTML. No clock is read: the same results make the same archive.
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
    def of(cls, shown: VisibleStanding) -> Colophon:
        publication = shown.publication
        at = publication.at if publication else shown.standing.computed_at
        return cls(
            title=shown.phase.task.title, published=f"{at:%Y-%m-%d}", signature=shown.standing.signature
        )

    @property
    def html(self) -> str:
        return (
            f'<div class="measure colophon"><p>An archived page of {escape(self.title)}. Results published '
            f"{self.published}; evaluator {escape(evaluation.VERSION)}. It needs no server. Gold, outputs "
            f"and counts are in the data package.</p><p><code>{escape(self.signature)}</code></p></div>"
        )
