"""What all result pages read from their address: the ranking; and a redirect to a tidy address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from sharedtask.competition.models import Task
from sharedtask.standings.standing_view import (
    StandingView,
    VisibleStanding,
    choose_standing,
    view_standing,
    visible_standings,
)

PREVIEW = "preview"
"""With this parameter, which needs no value, organisers see the standings in force."""


@dataclass(frozen=True, kw_only=True)
class RankingChoice:
    standings: list[VisibleStanding]
    """All rankings that the reader may choose from."""
    view: StandingView | None
    """The chosen one; None where there is none for this reader."""


def choose_ranking(
    request: HttpRequest, task: Task, *, at: datetime, code: str | None = None
) -> RankingChoice:
    """With a code, only rankings that have this test set."""
    visible = visible_standings(request.user, task, at=at, preview=PREVIEW in request.GET)
    if code is not None:
        visible = [each for each in visible if code in each.standing.table.get("gold", {})]
    parameters = request.GET
    chosen = choose_standing(
        visible, phase=parameters.get("phase"), ranking=parameters.get("ranking"), having=()
    )
    return RankingChoice(
        standings=visible, view=view_standing(request.user, chosen, at=at) if chosen else None
    )


def redirect_to_tidy_address(request: HttpRequest) -> HttpResponse | None:
    """A form also sends the fields that were left empty; the address should not contain them."""
    parameters = request.GET.copy()
    for name in [name for name, value in request.GET.items() if not value and name != PREVIEW]:
        del parameters[name]
    if len(parameters) == len(request.GET):
        return None
    return redirect(f"{request.path}?{parameters.urlencode()}" if parameters else request.path)
