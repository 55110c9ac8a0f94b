"""What operations about results have in common: the ranking that a request chooses, and its figures.

A metric or group that does not exist is refused, where a page would show the default.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Annotated

from django.http import Http404, HttpRequest
from ninja import Query, Schema
from pydantic import Field

from evaluation import Presentation
from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.api.viewing import without_nul
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal
from sharedtask.leaderboard.board.rows import text
from sharedtask.standings.choice import choose_ranking
from sharedtask.standings.precision import NOTHING
from sharedtask.standings.query import MAX_LENGTH, ResultsQuery
from sharedtask.standings.standing_view import StandingView


class RankingQuery(Schema):
    phase: str = Field("", max_length=MAX_LENGTH, description="Its code; by default the test, if published.")
    track: str = Field("", max_length=MAX_LENGTH, description="Its code, in a task with tracks.")
    ranking: str = Field("", max_length=MAX_LENGTH, description="official, unofficial, best or open.")
    metric: str = Field("", max_length=MAX_LENGTH, description="By default the first main metric.")
    group: str = Field("", max_length=MAX_LENGTH, description="A group, or a language as `lang:en`.")

    def as_results_query(self) -> ResultsQuery:
        return ResultsQuery(
            phase=without_nul(self.phase),
            track=self.track,
            ranking=self.ranking,
            metric=self.metric,
            scope=self.group,
        )


RankingChoiceQuery = Annotated[RankingQuery, Query()]


def chosen_view(
    request: HttpRequest, task: Task, query: RankingQuery, *, at: datetime, having: Collection[str] = ()
) -> StandingView:
    """404 if there is no such ranking for this viewer."""
    choice = choose_ranking(request.user, task, query.as_results_query(), at=at, having=having)
    if choice.view is None:
        raise Http404("there are no results for this viewer")
    refuse_unknown(choice.view, query)
    return choice.view


def refuse_unknown(view: StandingView, query: RankingQuery) -> None:
    if query.metric and query.metric not in view.figures.metrics:
        choices = ", ".join(view.metrics)
        raise Refusal("metric-unknown", f"The metric is one of: {choices}.", found=query.metric)
    scope = view.scope_of(query.group)
    if query.group and (scope == EVERYTHING or not view.codes_of(scope)):
        choices = ", ".join(groups_in(view)) or "none"
        message = f"There is no such group of test sets in this ranking. The groups are: {choices}."
        raise Refusal("group-unknown", message, found=query.group)


def groups_in(view: StandingView) -> list[str]:
    """Those with a test set that the viewer may know of; languages can be chosen as well."""
    names = (scope for scope in view.figures.scopes if not scope.startswith(LANGUAGE))
    return [name for name in names if name != EVERYTHING and view.codes_of(name)]


def printed_number(figure: float | None, presentation: Presentation) -> float | None:
    """As a page prints it, in the unit of the page."""
    if figure is None:
        return None
    printed = text(figure, presentation)
    return None if printed == NOTHING else float(printed)
