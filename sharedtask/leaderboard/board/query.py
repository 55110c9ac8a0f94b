"""What the address of a leaderboard asks for, and the address of another state of the page.

In: the parameters of a request. Out: `Wishes`, in which an empty word means what is shown when nobody asks.
Every state of the page has an address, and what goes without saying is left out of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

HIDEABLE = ("baselines", "incomplete")
LONGEST = 60
"""Characters of a word that are read; no name or column has more."""
MOST_TICKED = 40


@dataclass(frozen=True, kw_only=True)
class Wishes:
    phase: str = ""
    ranking: str = ""
    metric: str = ""
    scope: str = ""
    """A group by its name, or a language as `lang:en`."""
    sort: str = ""
    """A column; with a minus in front the other way round."""
    q: str = ""
    """A part of the name of a team or a system."""
    hide: tuple[str, ...] = ()
    ticked: tuple[str, ...] = ()
    """Public ids of the runs that are marked to be compared."""
    preview: bool = False
    """Organisers see what holds now instead of what was published."""

    def query(self, **changes: Any) -> str:
        """With a question mark, or nothing; ticks go along only when they are asked for."""
        wanted = replace(self, **changes)
        single = [
            (name, getattr(wanted, name)) for name in ("phase", "ranking", "metric", "scope", "sort", "q")
        ]
        pairs = [(name, value) for name, value in single if value]
        pairs += [("hide", name) for name in wanted.hide]
        pairs += [("with", run) for run in changes.get("ticked", ())]
        pairs += [("preview", "1")] if wanted.preview else []
        return f"?{urlencode(pairs)}" if pairs else ""


def wishes_of(asked: QueryDict) -> Wishes:
    def word(name: str) -> str:
        return " ".join(asked.get(name, "").split())[:LONGEST]

    return Wishes(
        phase=word("phase"),
        ranking=word("ranking"),
        metric=word("metric"),
        scope=word("scope"),
        sort=word("sort"),
        q=word("q"),
        hide=tuple(name for name in HIDEABLE if name in asked.getlist("hide")),
        ticked=tuple(dict.fromkeys(run[:LONGEST] for run in asked.getlist("with")[:MOST_TICKED])),
        preview="preview" in asked,
    )
