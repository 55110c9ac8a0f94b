"""One standing as it was computed, and publishing."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask.accounts import roles
from sharedtask.accounts.models import User
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.standings import standing_access
from sharedtask.standings.displayed import runs_named_in
from sharedtask.standings.models import Standing
from sharedtask.standings.publish import NotReady, publish_results, readiness
from sharedtask.teams import team_access


@require_safe
def standing(request: HttpRequest, public_id: str) -> JsonResponse:
    """Every figure of one standing, as it was computed; what was published once stays under this address."""
    at = clock.database_now()
    found = get_object_or_404(Standing.objects.select_related("phase__task"), public_id=public_id)
    if not standing_access.standing(request.user, found, at=at):
        raise Http404("no such standing for this reader")
    names = team_access.names(request.user, found.phase.task, at=at)
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
            **found.data,
        }
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Organisers read here what would be published and what stands in its way, and publish it."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    if not roles.organises(request.user, task) or not isinstance(request.user, User):
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
