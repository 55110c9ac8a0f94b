"""The leaderboard of one phase as a `Board`, for pages that show it among other things."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sharedtask.competition.models import Phase
from sharedtask.leaderboard.board.build import Board, build
from sharedtask.leaderboard.board.facts import facts_of
from sharedtask.leaderboard.board.query import Wishes

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


def page(
    viewer: Viewer,
    phase: Phase,
    *,
    at: datetime,
    ranking: str = "",
    metric: str = "",
    preview: bool = False,
) -> Board:
    wishes = Wishes(ranking=ranking, metric=metric, preview=preview)
    return build(facts_of(viewer, phase, [phase], wishes, at=at), wishes)
