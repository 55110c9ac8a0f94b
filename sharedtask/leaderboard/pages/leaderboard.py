"""The leaderboard page (for htmx, only the part that changes), and the same as a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import Board, build
from sharedtask.leaderboard.board.download import FORMATS
from sharedtask.leaderboard.board.facts import facts_for
from sharedtask.leaderboard.board.forest import forest
from sharedtask.leaderboard.board.menus import menus
from sharedtask.leaderboard.board.query import parse_query
from sharedtask.leaderboard.board.reproduce import reproduce_command
from sharedtask.leaderboard.pages.no_results import NoStandings, no_results
from sharedtask.standings import standing_access
from sharedtask.standings.page_cache.decorator import cached_for_visitors

PUSH_URL = "HX-Push-Url"


@require_safe
@cached_for_visitors
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Of the phase in the address, otherwise of the one that is ranked for the record."""
    at = clock.database_now()
    try:
        phase, board = board_for(request, slug, at=at)
    except NoStandings:
        return no_results(request, slug, at=at)
    response = render_board(request, phase, board, part="HX-Request" in request.headers)
    if "HX-Boosted" in request.headers:
        # Only those who follow a link or send a form go to another address.
        response[PUSH_URL] = request.path + board.query.query_string(selected=board.query.selected)
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
    phase, board = board_for(request, slug, at=at)
    board = with_precision(request, phase, board, at=at)
    response = HttpResponse(format.write(board), content_type=format.content_type)
    facts = board.facts
    name_parts = [slug, facts.phase, facts.ranking, board.metric, board.query.scope.replace(":", "-")]
    name = "-".join(slugify(part) for part in name_parts if part)
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return response


def board_for(request: HttpRequest, slug: str, *, at: datetime) -> tuple[Phase, Board]:
    query = parse_query(request.GET)
    phase_and_facts = facts_for(request.user, slug, query, at=at)
    if phase_and_facts is None:
        raise NoStandings("there are no standings for this reader")
    if query.ranking and not phase_and_facts[1].ranking:
        raise Http404("there is no such ranking for this reader")
    phase, facts = phase_and_facts
    return phase, build(facts, query)


def with_precision(request: HttpRequest, phase: Phase, board: Board, *, at: datetime) -> Board:
    if board.standing is None:
        return board
    board.standing.phase = phase
    return replace(board, is_exact=standing_access.exact_figures(request.user, board.standing, at=at))


def render_board(request: HttpRequest, phase: Phase, board: Board, *, part: bool) -> HttpResponse:
    context = {
        "task": phase.task,
        "board": board,
        "menus": menus(board),
        "forest": forest(board),
        "reproduce_command": reproduce_command(board, phase),
    }
    return render(request, "leaderboard/_board.html" if part else "leaderboard.html", context)
