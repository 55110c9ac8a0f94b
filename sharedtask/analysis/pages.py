"""The sentence browser: the list of a test set's sentences, one of them, and its downloads."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from sharedtask.analysis.browser import Browser, open_browser
from sharedtask.analysis.enhanced import enhanced_graphs
from sharedtask.analysis.export import conllu
from sharedtask.analysis.listing import list_sentences
from sharedtask.analysis.query import ARC, MAX_SYSTEMS, SHOW, parse_number
from sharedtask.analysis.sentence import Sentence, read_sentence
from sharedtask.analysis.sentence_metrics import completeness, figures_of_sentence, orders
from sharedtask.competition.error_classes import classes_of
from sharedtask.competition.metrics import profile_of
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import redirect_to_tidy_address
from sharedtask.submissions import run_access
from sharedtask.visibility.terms import Thing


@require_safe
@cached_for_visitors
def sentences(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    browser = open_browser(request, slug, code)
    if tidy := redirect_to_tidy_address(request):
        return tidy
    query, listing = browser.query, list_sentences(browser, request.GET.get("page"))
    context = common_context(browser) | {
        "listing": listing,
        # The relation of the query may be one that only a system has.
        "relations": sorted({*browser.analysed.sentences.relations, query.relation} - {""}),
        "previous_url": query.as_url(page=listing.page.number - 1),
        "next_url": query.as_url(page=listing.page.number + 1),
        "error_classes": classes_of(browser.analysed.test_set.task).names,
        "choices": {"show": SHOW, "arc": ARC, "sort": orders(browser), "full": completeness(browser)},
        "max_systems": MAX_SYSTEMS,
    }
    return render(request, "analysis/sentences.html", context)


@require_safe
@cached_for_visitors
def sentence(request: HttpRequest, slug: str, code: str, n: int) -> HttpResponse:
    browser, sentence = open_sentence(request, slug, code, n)
    previous, place, following = browser.matches.around(sentence.number)
    gold = browser.analysed.sentences
    context = common_context(browser) | {
        "sentence": sentence,
        # The drawing escapes everything that comes from files.
        "drawing": mark_safe(sentence.svg()),
        "graphs": mark_safe(graphs_of_sentence(browser, sentence.number)),
        "number": n,
        "previous_number": None if previous is None else previous + 1,
        "place_number": None if place is None else place + 1,
        "next_number": None if following is None else following + 1,
        "piece_first": sentence.begin + 1,
        "total": len(gold.words),
        "matching": len(browser.matches.numbers),
        "text": gold.texts[sentence.number],
        "sentence_id": gold.ids[sentence.number],
        "words": int(gold.words[sentence.number]),
        "line": int(gold.line[sentence.number]) + 1,
        "nonprojective": bool(gold.nonprojective[sentence.number]),
        "everyone": systems_by_errors(browser, sentence.number),
        "metrics": browser.metrics,
        "figures": figures_of_sentence(browser, sentence.number),
    }
    return render(request, "analysis/sentence.html", context)


@require_safe
def sentence_svg(request: HttpRequest, slug: str, code: str, n: int) -> HttpResponse:
    _, sentence = open_sentence(request, slug, code, n)
    return download(sentence.svg(standalone=True), "image/svg+xml", f"{code}-{n}.svg")


@require_safe
def sentence_graphs(request: HttpRequest, slug: str, code: str, n: int) -> HttpResponse:
    browser, sentence = open_sentence(request, slug, code, n)
    drawing = graphs_of_sentence(browser, sentence.number, standalone=True)
    if not drawing:
        raise Http404("the task has no enhanced graphs, or the sentence is too long to draw them")
    return download(drawing, "image/svg+xml", f"{code}-{n}-enhanced.svg")


def graphs_of_sentence(browser: Browser, number: int, *, standalone: bool = False) -> str:
    return enhanced_graphs(browser.analysed, browser.chosen, browser.sentences, number, standalone=standalone)


@require_safe
def sentence_conllu(request: HttpRequest, slug: str, code: str, n: int) -> HttpResponse:
    browser, sentence = open_sentence(request, slug, code, n)
    runs = [system.run for system in browser.chosen]
    public = {run.pk for run in run_access.runs_with(request.user, Thing.OUTPUT, runs, at=browser.at)}
    text = conllu(browser.analysed, browser.chosen, browser.sentences, sentence.number, public=public)
    return download(text, "text/plain; charset=utf-8", f"{code}-{n}.conllu")


def open_sentence(request: HttpRequest, slug: str, code: str, n: int) -> tuple[Browser, Sentence]:
    browser = open_browser(request, slug, code)
    if not 1 <= n <= len(browser.analysed.sentences.words):
        raise Http404("there is no such sentence")
    row = parse_number(request.GET.get("from")) or 1
    return browser, read_sentence(browser.analysed, browser.chosen, browser.sentences, n - 1, row=row)


def common_context(browser: Browser) -> dict[str, Any]:
    analysed, query = browser.analysed, browser.query
    displayed = profile_of(analysed.test_set.task).displayed
    return {
        "task": analysed.test_set.task,
        "test_set": analysed.test_set,
        "at": browser.at,
        "analysed": analysed,
        "rankings": analysed.rankings,
        "query": query,
        "chosen": browser.chosen,
        "query_url": query.as_url(),
        "permanent_url": query.permanent().as_url(),
        "compares_relations": "relation" in displayed,
        "compares_tags": "upos" in displayed,
    }


def systems_by_errors(browser: Browser, number: int) -> list[dict[str, Any]]:
    """All ranked systems by their errors in one sentence, each with an address that shows or hides it."""
    systems = [
        {
            "system": system,
            "errors": int(browser.sentences[system.analysis].errors[number]),
            "is_chosen": system.id in browser.query.system,
            "query_url": browser.query.toggle_system(system.id).as_url(),
        }
        for system in browser.analysed.ranked
    ]
    return sorted(systems, key=lambda each: each["errors"])


def download(content: str, content_type: str, filename: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response
