"""The ranking that the address of a result page chooses, of all rankings that the viewer may see.

The leaderboard chooses its phase first (`leaderboard/board/gather.py`), with the same functions.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sharedtask.competition.models import Task
from sharedtask.standings.query import ResultsQuery
from sharedtask.standings.standing_view import StandingView, view_standing
from sharedtask.standings.visible_standings import VisibleStanding, choose_standing, visible_standings

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class RankingChoice:
    standings: list[VisibleStanding]
    """All rankings that the viewer may choose from."""
    view: StandingView | None
    """The chosen one; None if there is none for this viewer."""


def choose_ranking(
    viewer: Viewer,
    task: Task,
    query: ResultsQuery,
    *,
    at: datetime,
    code: str = "",
    having: Collection[str] = (),
    only_having: bool = False,
) -> RankingChoice:
    """With a code, only rankings that have this test set. Prefers the ranking with most of the runs `having`.

    With `only_having`, rankings without any of these runs are left out.
    """
    visible = visible_standings(viewer, task, at=at, preview=query.preview)
    if code:
        visible = [each for each in visible if code in each.standing.table.get("gold", {})]
    if only_having:
        visible = [each for each in visible if not each.runs.isdisjoint(having)]
    chosen = choose_standing(visible, query, having=having)
    return RankingChoice(standings=visible, view=view_standing(viewer, chosen, at=at) if chosen else None)
