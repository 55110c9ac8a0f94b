"""Uploading, and the page of a run. Views translate between HTTP and the steps; they decide nothing."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask import visibility
from sharedtask.competition.models import Task
from sharedtask.faults import TeamFault
from sharedtask.leaderboard.standings import COLUMNS, printed
from sharedtask.limits import readable_bytes, upload_limits
from sharedtask.submissions.accept import accept
from sharedtask.submissions.average import f1
from sharedtask.submissions.models import Run, RunFile
from sharedtask.submissions.progress import progress
from sharedtask.submissions.receive import FIELD, ReceivedFile, StreamToIncoming


@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Put our handler in place before anything reads the body; the check against forgery reads it first."""
    handler = StreamToIncoming(request)
    request.upload_handlers = [handler]
    try:
        return upload_behind_csrf(request, slug)
    finally:
        handler.discard()


@csrf_protect
def upload_behind_csrf(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    if request.method != "POST":
        return upload_page(request, task)
    try:
        run = accept_request(request, task)
    except TeamFault as fault:
        status = 413 if fault.id == "upload-too-large" else 400
        return upload_page(request, task, fault=fault, status=status)
    return redirect(run)


def accept_request(request: HttpRequest, task: Task) -> Run:
    handler = request.upload_handlers[0]
    received = request.FILES.get(FIELD)
    if isinstance(handler, StreamToIncoming) and handler.fault:
        raise handler.fault
    if not isinstance(received, ReceivedFile):
        raise TeamFault("upload-without-file", "Please choose the archive to upload.", expected="a file")
    chosen = request.POST.get("team", "")
    team = next((team for team in visibility.teams_to_upload_for(request.user) if team.name == chosen), None)
    if team is None:
        raise TeamFault("upload-without-team", "Please choose one of your teams.", expected="a team of yours")
    if not visibility.may_upload(request.user, task, team, at=timezone.now()):
        raise TeamFault("task-closed", "This task does not take uploads at the moment.")
    return accept(
        incoming=received.incoming,
        task=task,
        team=team,
        uploaded_by=request.user if request.user.is_authenticated else None,
        filename=received.name or "",
    )


def upload_page(
    request: HttpRequest, task: Task, *, fault: TeamFault | None = None, status: int = 200
) -> HttpResponse:
    limits = upload_limits()
    context = {
        "task": task,
        "teams": visibility.teams_to_upload_for(request.user),
        "test_sets": visibility.test_sets(request.user, task),
        "is_open": task.is_open(at=timezone.now()),
        "fault": fault,
        "largest_archive": readable_bytes(limits.archive_bytes),
        "largest_file": readable_bytes(limits.member_bytes),
    }
    return render(request, "upload.html", context, status=status)


@require_safe
def run(request: HttpRequest, public_id: str) -> HttpResponse:
    return render(request, "run.html", run_context(request, public_id))


@require_safe
def run_state(request: HttpRequest, public_id: str) -> HttpResponse:
    """What changes on the page of a run; nothing (204) while the reader has seen it already."""
    context = run_context(request, public_id)
    if request.GET.get("seen") == context["progress"].seen:
        return HttpResponse(status=204)
    return render(request, "_run_state.html", {**context, "swap": True})


def scores_of(file: RunFile, run: Run) -> list[str]:
    """As printed; a file that could not be scored shows the 0 with which it enters the averages."""
    unscored = file.state in (RunFile.State.MISSING, RunFile.State.INVALID)
    if unscored and run.task.missing_policy == Task.MissingPolicy.ZERO:
        return [printed(0.0)] * len(COLUMNS)
    return [printed(f1(file.counts.get(name))) for name in COLUMNS]


def run_context(request: HttpRequest, public_id: str) -> dict[str, Any]:
    run = get_object_or_404(Run.objects.select_related("task", "team", "uploaded_by"), public_id=public_id)
    sight = visibility.of_run(request.user, run)
    if not sight.exists:
        raise Http404("no such run for this viewer")
    files = list(run.files.select_related("test_set"))
    shown = progress(run, files, sight)
    show_scores = sight.scores and run.state in (Run.State.SCORING, Run.State.SCORED)
    return {
        "run": run,
        "task": run.task,
        "sight": sight,
        "progress": shown,
        "size": readable_bytes(run.size_bytes),
        "columns": COLUMNS if show_scores else (),
        "averages": [printed(run.averages["all"].get(name)) for name in COLUMNS] if run.averages else [],
        "files": [
            {
                "file": file,
                "size": readable_bytes(file.size_bytes),
                "state": visibility.file_state_shown(file, scores=sight.scores),
                "scores": scores_of(file, run) if show_scores else [],
                "incidents": file.incidents if sight.incidents else [],
                "incident_total": sum(file.incident_counts.values()),
            }
            for file in files
        ],
    }
