"""The sentence browser: the list of a test set's sentences, one of them, and its downloads."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from sharedtask.analysis.export import conllu
from sharedtask.analysis.listing import listing
from sharedtask.analysis.opened import Opened, opened
from sharedtask.analysis.query import ARC, MOST_SYSTEMS, SHOW, SORT, number
from sharedtask.analysis.sentence import Sentence, sentence_of
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import redirect_to_tidy_address
from sharedtask.submissions import run_access
from sharedtask.visibility.terms import Thing


@require_safe
@cached_for_visitors
def sentences(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    shown = opened(request, slug, code)
    if tidy := redirect_to_tidy_address(request):
        return tidy
    found = listing(shown, request.GET.get("page"))
    page = found.page
    context = common(shown) | {
        "listing": found,
        # A system may have one that gold has not.
        "relations": sorted({*shown.field.sentences.relations, shown.wishes.relation} - {""}),
        "address_before": shown.wishes.query(page=page.number - 1),
        "address_after": shown.wishes.query(page=page.number + 1),
        "choices": {"show": SHOW, "arc": ARC, "sort": SORT},
        "most_systems": MOST_SYSTEMS,
    }
    return render(request, "analysis/sentences.html", context)


@require_safe
@cached_for_visitors
def sentence(request: HttpRequest, slug: str, code: str, n: int) -> HttpResponse:
    shown, one = asked_for(request, slug, code, n)
    before, place, after = shown.found.around(one.number)
    gold = shown.field.sentences
    context = common(shown) | {
        "sentence": one,
        # The drawing escapes whatever comes from files.
        "drawing": mark_safe(one.svg()),
        "number": n,
        "before": before,
        "place": place,
        "after": after,
        "before_number": (before or 0) + 1,
        "place_number": (place or 0) + 1,
        "after_number": (after or 0) + 1,
        "piece_first": one.begin + 1,
        "total": len(gold.words),
        "matching": len(shown.found.numbers),
        "text": gold.texts[one.number],
        "sentence_id": gold.ids[one.number],
        "words": int(gold.words[one.number]),
        "line": int(gold.line[one.number]) + 1,
        "nonprojective": bool(gold.nonprojective[one.number]),
        "everyone": on_sentence(shown, one.number),
    }
    return render(request, "analysis/sentence.html", context)


@require_safe
def sentence_svg(request: HttpRequest, slug: str, code: str, n: int) -> HttpResponse:
    _, one = asked_for(request, slug, code, n)
    return download(one.svg(standalone=True), "image/svg+xml", f"{code}-{n}.svg")


@require_safe
def sentence_conllu(request: HttpRequest, slug: str, code: str, n: int) -> HttpResponse:
    shown, one = asked_for(request, slug, code, n)
    runs = [entrant.run for entrant in shown.chosen]
    public = {run.pk for run in run_access.runs_with(request.user, Thing.OUTPUT, runs, at=shown.at)}
    text = conllu(shown.field, shown.chosen, shown.sentences, one.number, public=public)
    return download(text, "text/plain; charset=utf-8", f"{code}-{n}.conllu")


def asked_for(request: HttpRequest, slug: str, code: str, n: int) -> tuple[Opened, Sentence]:
    shown = opened(request, slug, code)
    if not 1 <= n <= len(shown.field.sentences.words):
        raise Http404("there is no such sentence")
    row = number(request.GET.get("from")) or 1
    return shown, sentence_of(shown.field, shown.chosen, shown.sentences, n - 1, row=row)


def common(shown: Opened) -> dict[str, Any]:
    field, wishes = shown.field, shown.wishes
    return {
        "task": field.test_set.task,
        "test_set": field.test_set,
        "at": shown.at,
        "field": field,
        "rankings": field.rankings,
        "wishes": wishes,
        "chosen": shown.chosen,
        "query": wishes.query(),
        "permanent": type(wishes)(system=wishes.system, phase=wishes.phase, ranking=wishes.ranking).query(),
    }


def on_sentence(shown: Opened, number: int) -> list[dict[str, Any]]:
    """All ranked systems by their errors in one sentence, each with an address that adds or drops it."""
    named = shown.wishes.system
    told = [
        {
            "entrant": one,
            "errors": int(shown.sentences[one.analysis].errors[number]),
            "is_chosen": one.id in named,
            "query": shown.wishes.but(system=toggled(named, one.id)).query(),
        }
        for one in shown.field.ranked
    ]
    return sorted(told, key=lambda one: one["errors"])


def toggled(named: tuple[str, ...], id: str) -> tuple[str, ...]:
    """Beyond the most that are shown together, the first makes room."""
    if id in named:
        return tuple(one for one in named if one != id)
    return (*named, id)[-MOST_SYSTEMS:]


def download(content: str, kind: str, filename: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response
