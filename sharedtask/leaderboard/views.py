"""One standing as it was computed, publishing, and the page that defines the figures."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask import clock, visibility
from sharedtask.leaderboard.definitions import definitions as definitions_text
from sharedtask.leaderboard.models import Standing
from sharedtask.leaderboard.precision import document_as_printed
from sharedtask.leaderboard.publish import NotReady, publish_results, readiness
from sharedtask.leaderboard.standings import runs_named_in


@require_safe
def standing(request: HttpRequest, public_id: str) -> JsonResponse:
    """Every figure of one standing; what was published once stays under this address.

    Figures are as printed until gold is released, and then as they were computed.
    """
    at = clock.database_now()
    found = get_object_or_404(Standing.objects.select_related("phase__task"), public_id=public_id)
    if not visibility.standing(request.user, found, at=at):
        raise Http404("no such standing for this reader")
    names = visibility.names(request.user, found.phase.task, at=at)
    exact = visibility.exact_figures(request.user, found, at=at)
    return JsonResponse(
        {
            "task": found.phase.task.slug,
            "phase": found.phase.code,
            "track": found.track,
            "computed_at": found.computed_at.isoformat(),
            "gold_versions": found.table.get("gold", {}),
            "names": {
                run.public_id: {
                    "team": names.team(run.team),
                    "system": names.system(run.system, run.team),
                    "run": run.number,
                }
                for run in runs_named_in(found)
            },
            **(found.data if exact else document_as_printed(found.data)),
        }
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Organisers read here what would be published and what stands in its way, and publish it."""
    at = clock.database_now()
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    if not visibility.organises(request.user, task) or not isinstance(request.user, User):
        raise Http404("only organisers publish")
    reasons: list[str] = []
    reason, note = request.POST.get("reason", "").strip(), request.POST.get("note", "").strip()
    if request.method == "POST":
        if reason:
            try:
                publish_results(task=task, by=request.user, reason=reason, note=note)
                return redirect("leaderboard", slug=slug)
            except NotReady as not_ready:
                reasons = not_ready.reasons
        else:
            reasons = ["Please give a reason; it is kept in the audit log."]
    context = {
        "task": task,
        "states": readiness(task, at=at),
        "publications": task.publications.select_related("by").prefetch_related("standings__phase"),
        "reasons": reasons,
        "reason": reason,
        "note": note,
    }
    return render(request, "leaderboard/publish.html", context, status=409 if reasons else 200)


@require_safe
def definitions(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/definitions.html", {"definitions": definitions_text()})
