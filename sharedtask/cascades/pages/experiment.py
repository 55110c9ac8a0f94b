"""The page of an experiment: progress, figures, acts; two systems side by side; downloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from evaluation.cascades.tables import CONTROL_TITLES, System, run_titles
from evaluation.ranking.render import as_csv, as_latex
from evaluation.ranking.tables.table import Table
from sharedtask.accounts import roles
from sharedtask.cascades.charts import gain_chart
from sharedtask.cascades.experiment_access import may_change, visible_experiments
from sharedtask.cascades.models import Experiment
from sharedtask.cascades.names import system_name
from sharedtask.cascades.parts import Part, all_complete, parts_of
from sharedtask.cascades.results import (
    SELECTIONS,
    Query,
    as_json,
    common_sets,
    compared_rows,
    parse_query,
    rows_of,
    tables_of,
)
from sharedtask.cascades.start import publish_experiment, resume_experiment, stop_experiment
from sharedtask.competition import task_access
from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.core import clock
from sharedtask.curves.sorting import sort_table
from sharedtask.teams import team_access

FORMATS: Mapping[str, tuple[str, Callable[[Table], str]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "tex": ("application/x-tex; charset=utf-8", as_latex),
}
ACTS: Mapping[str, tuple[Callable[..., None], str]] = {
    "stop": (stop_experiment, "The experiment is being stopped."),
    "resume": (resume_experiment, "The experiment continues; only its missing parts are run."),
    "publish": (publish_experiment, "The experiment is public."),
}
SECONDS_TO_REFRESH = 3


@require_safe
def experiment(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    return experiment_page(request, find_experiment(request, slug, public_id))


def find_experiment(request: HttpRequest, slug: str, public_id: str) -> Experiment:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    for row in visible_experiments(request.user, task, at=clock.database_now()):
        if row.public_id == public_id:
            return row
    raise Http404("no such experiment for this viewer")


def experiment_page(request: HttpRequest, row: Experiment, *, refused: ActForm | None = None) -> HttpResponse:
    context = state_context(request, row) | {"refused": refused}
    organises = roles.organises(request.user, row.task)
    form_class = ReasonForm if organises else ActForm
    context |= {
        "organises": organises,
        "may_change": may_change(request.user, row),
        "has_failed_controls": has_failed_controls(row, context["parts"]),
        "forms": {name: form_class.refused_or_new(name, refused) for name in ACTS},
    }
    if row.state == Experiment.State.DONE:
        context |= result_context(request, row)
    return render_act_page(request, "cascades/experiment.html", context, refused=refused)


def has_failed_controls(row: Experiment, parts: Sequence[Part]) -> bool:
    """Then it stops again with the same outputs, unless an organiser has one of them made again."""
    was_checked = row.state == Experiment.State.STOPPED and row.stop_requested_at is None
    return was_checked and not row.controls_hold and all_complete([p for p in parts if p.is_control])


@require_safe
def state(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The part that changes while it runs; 204 if it has not changed, and a reload when it has ended."""
    row = find_experiment(request, slug, public_id)
    context = state_context(request, row)
    if not row.is_under_way:
        response = HttpResponse(status=204)
        response["HX-Refresh"] = "true"
        return response
    if request.GET.get("version", "") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "cascades/_state.html", context)


def state_context(request: HttpRequest, row: Experiment) -> dict[str, Any]:
    parts = parts_of(row)
    done = sum(part.is_complete for part in parts)
    states = [part.execution.state if part.execution else "-" for part in parts]
    names = team_access.names(request.user, row.task, at=clock.database_now())
    return {
        "task": row.task,
        "experiment": row,
        "name": system_name(names, row),
        "sets": list(row.sets.all()),
        "outdated": [each.test_set.code for each in row.sets.all() if each.is_outdated],
        "parts": parts,
        "done": done,
        "sees_executions": may_change(request.user, row),
        "version": "-".join([row.state, str(bool(row.stop_requested_at)), *states]),
        "seconds_to_refresh": SECONDS_TO_REFRESH,
    }


def result_context(request: HttpRequest, row: Experiment) -> dict[str, Any]:
    query = parse_query(request.GET, codes_of(row))
    systems: list[System] = [("", rows_of(row, query))]
    return figures_context(systems, query) | {
        "codes": codes_of(row),
        "runs": runs_with_sentences(systems),
        "first_code": query.code or codes_of(row)[0],
        "others": others(request, row),
    }


def figures_context(systems: Sequence[System], query: Query) -> dict[str, Any]:
    first = systems[0][1][0]
    return {
        "query": query,
        "selections": SELECTIONS,
        "tables": [sort_table(table, query.sort) for table in tables_of(systems, query)],
        "chart": gain_chart(systems),
        "selected": first.selected if query.selection == "every" else None,
        "sentences": first.sentences,
        "words": first.words,
    }


def runs_with_sentences(systems: Sequence[System]) -> dict[str, str]:
    titles = run_titles(list(systems[0][1][0].repaired))
    return {row.run: titles[row.run] for row in systems[0][1] if row.run not in CONTROL_TITLES}


def others(request: HttpRequest, row: Experiment) -> list[tuple[Experiment, str]]:
    """Those with which it can be compared."""
    at = clock.database_now()
    names = team_access.names(request.user, row.task, at=at)
    return [
        (other, system_name(names, other))
        for other in visible_experiments(request.user, row.task, at=at)
        if other.pk != row.pk and other.state == Experiment.State.DONE and common_sets(row, other)
    ]


def codes_of(row: Experiment) -> list[str]:
    return [each.test_set.code for each in row.sets.all()]


@require_safe
def comparison(request: HttpRequest, slug: str, public_id: str, other: str) -> HttpResponse:
    row, beside = find_experiment(request, slug, public_id), find_experiment(request, slug, other)
    systems, query, codes = compared(request, row, beside)
    context = {
        "task": row.task,
        "experiment": row,
        "other": beside,
        "names": [name for name, _ in systems],
        "codes": codes,
    } | figures_context(systems, query)
    return render(request, "cascades/comparison.html", context)


def compared(
    request: HttpRequest, row: Experiment, beside: Experiment
) -> tuple[list[System], Query, list[str]]:
    pairs = common_sets(row, beside)
    both_done = row.state == beside.state == Experiment.State.DONE
    if row.pk == beside.pk or not pairs or not both_done:
        raise Http404("these experiments cannot be compared")
    codes = [pair[0].test_set.code for pair in pairs]
    query = parse_query(request.GET, codes)
    names = team_access.names(request.user, row.task, at=clock.database_now())
    labels = [system_name(names, row), system_name(names, beside)]
    if labels[0] == labels[1]:
        labels = [
            f"{label}, {each.requested_at:%Y-%m-%d %H:%M}"
            for label, each in zip(labels, (row, beside), strict=True)
        ]
    return list(zip(labels, compared_rows(pairs, query), strict=True)), query, codes


@require_safe
def download(
    request: HttpRequest, slug: str, public_id: str, name: str, ending: str, other: str = ""
) -> HttpResponse:
    """One table, or all figures as JSON."""
    row = find_experiment(request, slug, public_id)
    if row.state != Experiment.State.DONE:
        raise Http404("it is not done")
    if other:
        systems, query, _ = compared(request, row, find_experiment(request, slug, other))
    else:
        query = parse_query(request.GET, codes_of(row))
        names = team_access.names(request.user, row.task, at=clock.database_now())
        systems = [(system_name(names, row), rows_of(row, query))]
    content_type, content = written(systems, query, name, ending)
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{slug}-cascades-{name}.{ending}"'
    return response


def written(systems: Sequence[System], query: Query, name: str, ending: str) -> tuple[str, str]:
    if (name, ending) == ("cascades", "json"):
        return "application/json; charset=utf-8", as_json(systems, query)
    table = next((table for table in tables_of(systems, query) if table.name == name), None)
    if table is None or ending not in FORMATS:
        raise Http404("there is no such file")
    content_type, write = FORMATS[ending]
    return content_type, write(table)


@login_required
@require_POST
def change(request: HttpRequest, slug: str, public_id: str, verb: str) -> HttpResponse:
    """An act of a member of its team, or of an organiser with a reason."""
    row = find_experiment(request, slug, public_id)
    if not may_change(request.user, row):
        raise Http404("not for this viewer")
    function, done = ACTS[verb]
    organises = roles.organises(request.user, row.task)
    form = (ReasonForm if organises else ActForm)(request.POST, key=verb)
    if act(request, form, partial(function, experiment=row), done=done):
        return redirect(row)
    return experiment_page(request, row, refused=form)
