"""The leaderboard page (with htmx, only what changes in it), and the same as a file."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.core.private_answers import is_anybody
from sharedtask.leaderboard.board.build import Board, build
from sharedtask.leaderboard.board.download import FORMATS
from sharedtask.leaderboard.board.facts import Facts, facts_for
from sharedtask.leaderboard.board.for_visitors import facts_for_visitor
from sharedtask.leaderboard.board.forest import forest
from sharedtask.leaderboard.board.menus import menus
from sharedtask.leaderboard.board.query import Wishes, wishes_of
from sharedtask.leaderboard.board.reproduce import command_again
from sharedtask.standings import standing_access
from sharedtask.standings.page_cache.pages import ADDRESS, file_answer, kept_answer


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Of the phase that the address names, else of the one that is ranked for the record."""
    wishes = wishes_of(request.GET)
    phase, facts = found(request, slug, wishes)
    part = "HX-Request" in request.headers

    def rendered() -> HttpResponse:
        return answer(request, phase, build(facts, wishes), part=part)

    response = kept_answer(request, (facts, wishes, part), rendered) if is_anybody(request) else rendered()
    patch_vary_headers(response, ("HX-Request",))
    if not request.headers.get("HX-Boosted"):
        # Only who follows a link or sends a form goes to another address.
        del response[ADDRESS]
    return response


@require_safe
def download(request: HttpRequest, slug: str, ending: str) -> HttpResponseBase:
    """What the page shows at the same wishes."""
    format = FORMATS.get(ending)
    if format is None:
        raise Http404("there is no such format")
    wishes = wishes_of(request.GET)
    phase, facts = found(request, slug, wishes)
    board = with_precision(request, phase, build(facts, wishes))
    response = HttpResponse(format.write(board), content_type=format.content_type)
    named = [slug, facts.phase, facts.ranking, board.metric, board.wishes.scope.replace(":", "-")]
    name = "-".join(slugify(word) for word in named if word)
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return file_answer(request, response)


def found(request: HttpRequest, slug: str, wishes: Wishes) -> tuple[Phase, Facts]:
    if is_anybody(request):
        shown = facts_for_visitor(slug, wishes)
    else:
        shown = facts_for(request.user, slug, wishes, at=clock.database_now())
    if shown is None or (wishes.ranking and not shown[1].ranking):
        raise Http404("there are no standings for this reader")
    return shown


def with_precision(request: HttpRequest, phase: Phase, board: Board) -> Board:
    if board.standing is None:
        return board
    standing, at = board.standing, clock.database_now()
    standing.phase = phase
    return replace(board, is_exact=standing_access.exact_figures(request.user, standing, at=at))


def answer(request: HttpRequest, phase: Phase, board: Board, *, part: bool) -> HttpResponse:
    template = "leaderboard/_board.html" if part else "leaderboard.html"
    context = {
        "task": phase.task,
        "board": board,
        "menus": menus(board),
        "forest": forest(board),
        "again": command_again(board, phase),
    }
    response = render(request, template, context)
    response[ADDRESS] = request.path + board.wishes.query(ticked=board.wishes.ticked)
    return response
