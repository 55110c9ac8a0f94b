"""What stands beside the breakdowns of a system: those of another one, or of all systems together.

In: the field, the system, and what the address asks for. Out: `Beside`, with analyses by test set. All
systems together are offered for one test set at a time: over all sets that would be thousands of analyses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.leaderboard.system.analyses import analysed
from sharedtask.standings.standing_view import Entrant, StandingView

TOGETHER = "field"


@dataclass(frozen=True, kw_only=True)
class Beside:
    id: str
    name: str
    entrant: Entrant | None
    """None for all systems together."""
    analyses: Mapping[str, tuple[str, ...]]
    """By the code of the test set."""


def own_and_beside(
    viewer: Viewer, field: StandingView, who: Entrant, *, asked: str, one_set: str, at: datetime
) -> tuple[Mapping[str, str], Beside | None]:
    """The system's own analyses, and what stands beside them: the best of the others, unless asked."""
    others = [one for one in field.entrants if one.index != who.index]
    if asked == TOGETHER and one_set:
        ranked = [one for one in others if not one.withdrawn]
        own, *theirs = analysed(viewer, field, [who, *ranked], at=at)
        return own, all_together(one_set, theirs if who.withdrawn else [own, *theirs])
    entrant = next((one for one in others if one.id == asked), next(iter(others), None))
    if entrant is None:
        return analysed(viewer, field, [who], at=at)[0], None
    own, theirs_alone = analysed(viewer, field, [who, entrant], at=at)
    analyses = {code: (id,) for code, id in theirs_alone.items()}
    return own, Beside(id=entrant.id, name=entrant.name, entrant=entrant, analyses=analyses)


def all_together(code: str, every: list[Mapping[str, str]]) -> Beside:
    """The system itself is one of them, as it is in every other figure of the field."""
    files = tuple(one[code] for one in every if code in one)
    return Beside(
        id=TOGETHER,
        name=f"all {len(files)} systems",
        entrant=None,
        analyses={code: files} if files else {},
    )
