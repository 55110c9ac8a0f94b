"""Pages about tasks: the list of them, one of them, and the texts to be parsed."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, Max
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask import clock, storage, visibility
from sharedtask.competition import zip_inputs
from sharedtask.competition.models import TestSet
from sharedtask.competition.task_page import task_cards, task_page
from sharedtask.leaderboard.board.menus import menus
from sharedtask.leaderboard.board.page import page


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    at = clock.database_now()
    tasks = visibility.tasks(request.user).annotate(latest=Max("phases__opens_at"))
    phase = visibility.phases_with_standings(request.user, at=at).first()
    board = page(request.user, phase, at=at) if phase else None
    # A task without a phase yet comes last.
    cards = task_cards(tasks.order_by(F("latest").desc(nulls_last=True), "title"), at=at)
    return render(
        request,
        "home.html",
        {
            "cards": cards,
            "featured": next((card for card in cards if phase and card.task.pk == phase.task_id), None),
            "begins_tasks": visibility.begins_tasks(request.user),
            "at": at,
            "task": phase.task if phase else None,
            "standings": board,
            "menus": menus(board) if board else None,
        },
    )


@require_safe
def task(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    shown = task_page(request.user, task, at=at)
    return render(request, "task.html", {"task": task, "shown": shown, "at": at})


@require_safe
def raw_text(request: HttpRequest, slug: str, code: str) -> FileResponse:
    at = clock.database_now()
    text = visibility.raw_text(request.user, known_set(request, slug, code, at=at), at=at)
    if text is None:
        raise Http404("the input is not out")
    return stored_file(text.stored, text.filename)


@require_safe
def input_file(request: HttpRequest, slug: str, code: str, variant: str) -> FileResponse:
    """A variant of the input, or a sample."""
    at = clock.database_now()
    for file in visibility.inputs(request.user, known_set(request, slug, code, at=at), at=at):
        if file.variant == variant:
            return stored_file(file.stored, file.filename)
    raise Http404("there is no such input for this reader")


@require_safe
def inputs(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    at = clock.database_now()
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    files = zip_inputs.inputs_of(request.user, task, at=at)
    if not files:
        raise Http404("no input is out")
    answer = StreamingHttpResponse(zip_inputs.zipped(files), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{task.slug}-inputs.zip"'
    return answer


@require_safe
def gold_file(request: HttpRequest, slug: str, code: str) -> FileResponse:
    """The public copy, which a worker wrote after an organiser had released it."""
    at = clock.database_now()
    version = visibility.gold_file(request.user, known_set(request, slug, code, at=at), at=at)
    if version is None:
        raise Http404("this gold is not public")
    return stored_file(version.public_copy, f"{code}.conllu")


def known_set(request: HttpRequest, slug: str, code: str, *, at: datetime) -> TestSet:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    return get_object_or_404(visibility.test_sets(request.user, task, at=at), code=code)


def stored_file(stored: str, filename: str) -> FileResponse:
    try:
        stream = storage.open_stream(stored)
    except FileNotFoundError:
        raise Http404("the file is not in storage") from None
    return FileResponse(
        stream, as_attachment=True, filename=filename, content_type="text/plain; charset=utf-8"
    )
