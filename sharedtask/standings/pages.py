"""The page of one standing as JSON, and the page for publishing."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.metrics import presentations_of
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.standings import standing_access
from sharedtask.standings.document import document_of
from sharedtask.standings.forms import PublishForm
from sharedtask.standings.models import Standing
from sharedtask.standings.precision import document_as_printed
from sharedtask.standings.publication_preview import publication_table
from sharedtask.standings.publish import publish_results
from sharedtask.standings.readiness import readiness
from sharedtask.standings.signature import signature_of
from sharedtask.standings.table import runs_in
from sharedtask.teams import team_access


@require_safe
def standing(request: HttpRequest, public_id: str) -> JsonResponse:
    """Every figure of one standing; a published standing keeps this address for ever.

    Figures have printed precision until gold is released; then they are unrounded.
    """
    at = clock.database_now()
    standing = get_object_or_404(Standing.objects.select_related("phase__task"), public_id=public_id)
    if not standing_access.standing(request.user, standing, at=at):
        raise Http404("no such standing for this viewer")
    names = team_access.names(request.user, standing.phase.task, at=at)
    is_released = standing_access.gold_is_released(standing, at=at)
    exact = standing_access.exact_figures(request.user, standing.phase, is_released=is_released, at=at)
    document = document_of(standing)
    presentations = presentations_of(standing.phase.task)
    return JsonResponse(
        {
            "task": standing.phase.task.slug,
            "phase": standing.phase.code,
            **({"track": standing.track} if standing.track else {}),
            "ranking": standing.ranking,
            "computed_at": standing.computed_at.isoformat(),
            "test_sets_total": standing.phase.task.test_sets_total,
            "gold_versions": standing.table.get("gold", {}),
            "names": {
                run.public_id: {
                    "team": names.team(run.team),
                    "system": names.system(run.system, run.team),
                    "run": run.number,
                }
                for run in runs_in(standing.table)
            },
            **(document if exact else document_as_printed(document, presentations)),
            "signature": signature_of(standing, is_released=is_released),
        }
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Organisers see here what would be published, or why it cannot be, and publish it."""
    task = organised_task(request, slug)
    if request.method != "POST":
        return publish_page(request, task)
    form = PublishForm(request.POST, states=readiness(task, at=clock.database_now()))
    if act(request, form, partial(publish_results, task=task)):
        return redirect("leaderboard", slug=slug)
    return publish_page(request, task, refused=form)


def publish_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    states = readiness(task, at=clock.database_now())
    context = {
        "task": task,
        "tables": [publication_table(state) for state in states],
        "can_publish": any(state.is_new for state in states),
        "is_waiting": any(state.obstacle for state in states),
        "has_results": any(state.has_runs for state in states),
        "publications": task.publications.select_related("by").prefetch_related("standings__phase"),
        "form": PublishForm.refused_or_new("", refused, states=states),
    }
    return render_act_page(request, "standings/publish.html", context, refused=refused)
