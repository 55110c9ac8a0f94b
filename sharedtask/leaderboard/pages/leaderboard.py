"""The leaderboard page (for htmx, only the part that changes), and the same as a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from sharedtask.accounts.roles import Viewer
from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import track_order
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import Board, build
from sharedtask.leaderboard.board.download import FORMATS
from sharedtask.leaderboard.board.forest import forest
from sharedtask.leaderboard.board.gather import choose_phase, gather_facts
from sharedtask.leaderboard.board.menus import menus
from sharedtask.leaderboard.board.query import BoardQuery, parse_query
from sharedtask.leaderboard.board.reproduce import reproduce_command
from sharedtask.leaderboard.pages.no_results import NoStandings, no_results
from sharedtask.standings import standing_access
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.visible_standings import result_phases

PUSH_URL = "HX-Push-Url"
REFRESH = "HX-Refresh"


@require_safe
@cached_for_visitors
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The leaderboard of the phase in the address; by default that of the test phase, if it has results."""
    at = clock.database_now()
    try:
        board = board_for(request.user, slug, parse_query(request.GET), at=at)
    except NoStandings:
        return leaderboard_to_come(request, slug, at=at)
    response = render_board(request, board, part="HX-Request" in request.headers)
    if "HX-Boosted" in request.headers:
        # Only links and forms change the address; polling does not.
        response[PUSH_URL] = request.path + board.query.query_string(selected=board.query.selected)
    patch_vary_headers(response, ("HX-Request",))
    return response


def leaderboard_to_come(request: HttpRequest, slug: str, *, at: datetime) -> HttpResponse:
    """Not found for a phase that the task does not have."""
    code = parse_query(request.GET).phase
    is_known = not code or Phase.objects.filter(task__slug=slug, code=code).exists()
    status = HTTPStatus.OK if is_known else HTTPStatus.NOT_FOUND
    response = no_results(request, slug, at=at, status=status)
    if "HX-Request" in request.headers:
        # This is not a part of the page, which htmx asked for.
        response[REFRESH] = "true"
    patch_vary_headers(response, ("HX-Request",))
    return response


@require_safe
@cached_for_visitors
def download(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    """What the page shows with the same query string."""
    format = FORMATS.get(ending)
    if format is None:
        raise Http404("there is no such format")
    at = clock.database_now()
    query = parse_query(request.GET)
    board = with_precision(request.user, board_for(request.user, slug, query, at=at), at=at)
    response = HttpResponse(format.write(board), content_type=format.content_type)
    facts = board.facts
    name_parts = [slug, facts.phase.code, facts.track, facts.ranking, board.metric]
    name_parts.append(board.query.scope.replace(":", "-"))
    name = "-".join(slugify(part) for part in name_parts if part)
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return response


def board_for(viewer: Viewer, slug: str, query: BoardQuery, *, at: datetime) -> Board:
    phases = result_phases(viewer, slug, at=at)
    phase = choose_phase(phases, query)
    if phase is None:
        raise NoStandings("there are no standings for this viewer")
    facts = gather_facts(viewer, phase, phases, query, at=at)
    is_unknown = query.track not in track_order(facts.task)
    if (query.ranking or is_unknown) and facts.view is None:
        raise Http404("there is no such ranking for this viewer")
    return build(facts, query)


def with_precision(viewer: Viewer, board: Board, *, at: datetime) -> Board:
    if board.view is None:
        return board
    is_exact = standing_access.exact_figures(
        viewer, board.facts.phase, is_released=board.view.is_released, at=at
    )
    return replace(board, is_exact=is_exact)


def render_board(request: HttpRequest, board: Board, *, part: bool) -> HttpResponse:
    context = {
        "task": board.facts.task,
        "is_over": board.facts.is_over,
        "board": board,
        "menus": menus(board),
        "forest": forest(board),
        "reproduce_command": reproduce_command(board),
    }
    return render(request, "leaderboard/_board.html" if part else "leaderboard.html", context)
