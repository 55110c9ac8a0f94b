"""Sentences of an experiment: those that constraints changed most, and each with its trees."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from evaluation.cascades.sentence import EFFECTS
from evaluation.cascades.tables import run_titles
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.cascades.names import system_name
from sharedtask.cascades.pages.experiment import find_experiment
from sharedtask.cascades.results import counts_of
from sharedtask.cascades.sentences import ORDERS, list_sentences, read_sentence
from sharedtask.core import clock
from sharedtask.teams import team_access


@require_safe
def sentences(request: HttpRequest, slug: str, public_id: str, code: str, run: str) -> HttpResponse:
    context, each = sentence_context(request, slug, public_id, code, run)
    order = request.GET.get("order", "")
    order = order if order in ORDERS else next(iter(ORDERS))
    page = request.GET.get("page", "")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1
    context |= {"orders": ORDERS, "order": order, "listed": list_sentences(each, run, order, number)}
    return render(request, "cascades/sentences.html", context)


@require_safe
def sentence(
    request: HttpRequest, slug: str, public_id: str, code: str, run: str, number: int
) -> HttpResponse:
    context, each = sentence_context(request, slug, public_id, code, run)
    counts = counts_of(each)
    total = counts.sentences
    if not 1 <= number <= total:
        raise Http404("there is no such sentence")
    constrained = read_sentence(context["experiment"], each, run, number)
    title = f"Sentence {number} of {code}: gold, without constraints, with constraints on {context['title']}"
    names = ["gold", "without constraints", f"constraints on {context['title']}"]
    context |= {
        "number": number,
        "total": total,
        "sentence": constrained,
        "is_covered": bool(counts.covered[counts.runs.index(run)][number - 1]),
        # All text of files in it is escaped.
        "svg": mark_safe(constrained.svg(names, title=title)),
        "effects": [(key, text, constrained.count(key)) for key, text in EFFECTS.items()],
    }
    return render(request, "cascades/sentence.html", context)


def sentence_context(
    request: HttpRequest, slug: str, public_id: str, code: str, run: str
) -> tuple[dict[str, Any], ExperimentSet]:
    row = find_experiment(request, slug, public_id)
    each = next((each for each in row.sets.all() if each.test_set.code == code), None)
    if row.state != Experiment.State.DONE or each is None or run not in counts_of(each).runs:
        raise Http404("there are no such sentences")
    titles = run_titles(row.error_classes.names)
    names = team_access.names(request.user, row.task, at=clock.database_now())
    context = {
        "task": row.task,
        "experiment": row,
        "name": system_name(names, row),
        "test_set": each.test_set,
        "code": code,
        "codes": [other.test_set.code for other in row.sets.all()],
        "run": run,
        "title": titles[run],
        "runs": {name: titles[name] for name in counts_of(each).runs},
    }
    return context, each
