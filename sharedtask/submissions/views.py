"""Uploading, and the page of a run. Views translate between HTTP and the steps; they decide nothing."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask import clock, visibility
from sharedtask.competition.models import Phase, Task
from sharedtask.faults import TeamFault
from sharedtask.leaderboard.standings import COLUMNS, printed
from sharedtask.limits import readable_bytes, upload_limits
from sharedtask.submissions.accept import accept
from sharedtask.submissions.average import FileCounts, average, f1
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.progress import progress
from sharedtask.submissions.receive import FIELD, ReceivedFile, StreamToIncoming
from sharedtask.teams.models import System, Team


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
    team = visibility.team_of(request.user, task)
    if team is None:
        raise TeamFault("upload-without-team", "You belong to no team of this task.", expected="a team")
    return accept(
        incoming=received.incoming,
        phase=chosen_phase(request, task, team),
        team=team,
        system=chosen_system(request, team),
        uploaded_by=request.user if request.user.is_authenticated else None,
        filename=received.name or "",
    )


def chosen_phase(request: HttpRequest, task: Task, team: Team) -> Phase:
    """The phase that the form names, or the only open one; `accept` says whether it takes this upload."""
    code = request.POST.get("phase", "")
    at = clock.database_now()
    if code:
        phase = next((phase for phase in task.phases.begun(at=at) if phase.code == code), None)
        if phase is None:
            raise TeamFault("upload-without-phase", "Please choose one of the open phases.", found=code)
        return phase
    phases = list(visibility.phases_to_upload_to(request.user, task, team, at=at)[:2])
    if not phases:
        raise TeamFault("phase-closed", "This task does not take uploads at the moment.")
    if len(phases) > 1:
        raise TeamFault("upload-without-phase", "Please choose one of the open phases.")
    return phases[0]


def chosen_system(request: HttpRequest, team: Team) -> System:
    public_id = request.POST.get("system", "")
    if not public_id:
        return team.primary_system
    system = next((system for system in team.systems.all() if system.public_id == public_id), None)
    if system is None:
        raise TeamFault("upload-without-system", "Please choose one of your team's systems.")
    return system


def upload_page(
    request: HttpRequest, task: Task, *, fault: TeamFault | None = None, status: int = 200
) -> HttpResponse:
    at = clock.database_now()
    limits = upload_limits()
    team = visibility.team_of(request.user, task)
    phases = list(visibility.phases_to_upload_to(request.user, task, team, at=at))
    context = {
        "task": task,
        "team": team,
        "systems": list(team.systems.all()) if team else [],
        "phases": phases,
        "blind": any(visibility.is_blind(phase, at=at) for phase in phases),
        "test_sets": visibility.test_sets(request.user, task, at=at),
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


def run_context(request: HttpRequest, public_id: str) -> dict[str, Any]:
    related = ("task", "phase__task", "team", "system", "uploaded_by")
    run = get_object_or_404(Run.objects.select_related(*related), public_id=public_id)
    sight = visibility.of_run(request.user, run, at=clock.database_now())
    if not sight.exists:
        raise Http404("no such run for this viewer")
    files = list(run.files.select_related("test_set"))
    counts = counts_of(run) if sight.scores else {}
    show_scores = sight.scores and run.state in (Run.State.SCORING, Run.State.SCORED)
    averages = None
    if show_scores and run.state == Run.State.SCORED:
        averages = average(run.task, [file.test_set for file in files], counts)
    return {
        "run": run,
        "task": run.task,
        "sight": sight,
        "progress": progress(run, files, len(counts), sight),
        "size": readable_bytes(run.size_bytes),
        "columns": COLUMNS if show_scores else (),
        "averages": [printed(averages.all.get(name)) for name in COLUMNS] if averages else [],
        "files": [
            {
                "file": file,
                "size": readable_bytes(file.size_bytes),
                "state": visibility.file_state_shown(
                    file, is_scored=file.test_set.code in counts, scores=sight.scores
                ),
                "scores": scores_of(file, counts.get(file.test_set.code), run.task) if show_scores else [],
                "incidents": file.incidents if sight.incidents else [],
                "incident_total": sum(file.incident_counts.values()),
            }
            for file in files
        ],
    }


def counts_of(run: Run) -> dict[str, FileCounts]:
    """By the code of the test set, against the gold in force."""
    scores = Score.objects.filter(file__run=run).done().in_force()
    return dict(scores.values_list("file__test_set__code", "counts"))


def scores_of(file: RunFile, counts: FileCounts | None, task: Task) -> list[str]:
    """As printed; a file that could not be scored shows the 0 with which it enters the averages."""
    unscored = file.state in (RunFile.State.MISSING, RunFile.State.INVALID)
    if unscored and task.missing_policy == Task.MissingPolicy.ZERO:
        return [printed(0.0)] * len(COLUMNS)
    return [printed(f1(counts.get(name)) if counts else None) for name in COLUMNS]
