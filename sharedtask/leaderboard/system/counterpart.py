"""What the breakdowns of a system are compared with: those of another system, or of all systems combined.

In: the view, the system, and what the address asks for. Out: a `Counterpart`, with analyses by test set. All
systems combined are offered for one test set only: over all test sets that would be thousands of analyses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.leaderboard.system.analyses import analyses_of
from sharedtask.standings.standing_view import Entrant, StandingView

COMBINED = "all"
"""In the address, for all systems combined."""


@dataclass(frozen=True, kw_only=True)
class Counterpart:
    id: str
    name: str
    entrant: Entrant | None
    """None for all systems combined."""
    analyses: Mapping[str, tuple[str, ...]]
    """By the code of the test set."""


def own_and_counterpart(
    viewer: Viewer, view: StandingView, system: Entrant, *, requested: str, one_set: str, at: datetime
) -> tuple[Mapping[str, str], Counterpart | None]:
    """The system's own analyses, and those it is compared with: by default of the best other system."""
    others = [entrant for entrant in view.entrants if entrant.index != system.index]
    if requested == COMBINED and one_set:
        ranked = [entrant for entrant in others if not entrant.withdrawn]
        own, *rest = analyses_of(viewer, view, [system, *ranked], at=at)
        return own, all_combined(one_set, rest if system.withdrawn else [own, *rest])
    other = next((entrant for entrant in others if entrant.id == requested), next(iter(others), None))
    if other is None:
        return analyses_of(viewer, view, [system], at=at)[0], None
    own, of_other = analyses_of(viewer, view, [system, other], at=at)
    analyses = {code: (id,) for code, id in of_other.items()}
    return own, Counterpart(id=other.id, name=other.name, entrant=other, analyses=analyses)


def all_combined(code: str, systems: Sequence[Mapping[str, str]]) -> Counterpart:
    """Including the system itself, as in every other figure over all systems."""
    analyses = tuple(system[code] for system in systems if code in system)
    return Counterpart(
        id=COMBINED,
        name=f"all {len(analyses)} systems",
        entrant=None,
        analyses={code: analyses} if analyses else {},
    )
