"""The upload page: for a member's own team, or for an organiser on a team's behalf.

The views translate between HTTP and the steps of `workflow.py`; they decide nothing.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from sharedtask.accounts import roles
from sharedtask.accounts.models import User
from sharedtask.competition import reasons, task_access
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.core.body_limit import upload_view
from sharedtask.core.errors import Refusal
from sharedtask.submissions import admission, workflow
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.annotate import fitting_note
from sharedtask.submissions.forms import UploadForm
from sharedtask.submissions.models import Run
from sharedtask.submissions.receive import FILE_FIELD, ReceivedFile, StreamingUploadHandler
from sharedtask.submissions.upload_form import upload_form
from sharedtask.teams import team_access
from sharedtask.teams.models import System, Team


@upload_view
@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest, slug: str, team_id: str = "") -> HttpResponse:
    """Install our upload handler before anything reads the body; the CSRF check is the first to read it."""
    handler = StreamingUploadHandler(request)
    request.upload_handlers = [handler]
    try:
        return upload_after_csrf_check(request, slug, team_id)
    finally:
        handler.discard()


@csrf_protect
def upload_after_csrf_check(request: HttpRequest, slug: str, team_id: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    team = team_to_upload_for(request, task, team_id)
    if request.method != "POST":
        return upload_form(request, task, team, on_behalf=bool(team_id))
    try:
        run = accept_request(request, task, team, on_behalf=bool(team_id))
    except Refusal as refusal:
        status = 413 if refusal.id == "upload-too-large" else 400
        return upload_form(request, task, team, on_behalf=bool(team_id), refusal=refusal, status=status)
    return redirect(run)


def team_to_upload_for(request: HttpRequest, task: Task, team_id: str) -> Team | None:
    """The viewer's own team, or the one an organiser names; for everyone else the latter is a 404."""
    if not team_id:
        return team_access.team_of(request.user, task)
    if not roles.organises(request.user, task):
        raise Http404("for organisers only")
    return get_object_or_404(task.teams, public_id=team_id)


def accept_request(request: HttpRequest, task: Task, team: Team | None, *, on_behalf: bool) -> Run:
    handler = request.upload_handlers[0]
    received = request.FILES.get(FILE_FIELD)
    assert isinstance(handler, StreamingUploadHandler)
    if handler.refusal:
        raise handler.refusal
    if not isinstance(received, ReceivedFile):
        raise Refusal("upload-without-file", "Please choose the files to upload.", expected="a file")
    if team is None:
        raise Refusal("upload-without-team", "You are not on a team for this task.", expected="a team")
    fields = read_form(request)
    reason = reasons.required(fields["reason"]) if on_behalf else ""
    amends = run_to_amend(fields["amends"], team)
    at = handler.ended_at or clock.database_now()
    upload = Upload(
        incoming=received.incoming,
        phase=chosen_phase(request, fields["phase"], task, team, amends, at=at),
        team=team,
        system=amends.system if amends else chosen_system(fields["system"], team),
        uploaded_by=request.user if isinstance(request.user, User) else None,
        filename=received.name or "",
        single_files=handler.single_files,
        amends=amends,
        on_behalf=reason,
        note=fitting_note(fields["note"]),
        at=at,
    )
    return workflow.receive(upload)


def read_form(request: HttpRequest) -> dict[str, str]:
    form = UploadForm(request.POST)
    if not form.is_valid():
        sentences = [str(error) for errors in form.errors.values() for error in errors]
        raise Refusal("upload-unreadable", " ".join(sentences))
    return form.cleaned_data


def run_to_amend(public_id: str, team: Team) -> Run | None:
    """None for a new run. `accept` decides whether this run can be amended."""
    if not public_id:
        return None
    # Compared in Python: a form can contain characters that PostgreSQL rejects.
    runs = team.runs.select_related("system", "phase")
    run = next((run for run in runs if run.public_id == public_id), None)
    if run is None:
        raise Refusal("cannot-amend-run", "Please choose one of your team's checked runs.")
    admission.refuse_amending_unchecked(run)
    return run


def chosen_phase(
    request: HttpRequest, code: str, task: Task, team: Team, amends: Run | None, *, at: datetime
) -> Phase:
    """The phase named in the form, or the only open one; `accept` decides whether it takes this upload."""
    if code:
        begun = task.phases.begun(at=at).select_related("task")
        phase = next((phase for phase in begun if phase.code == code), None)
        if phase is None:
            raise Refusal("upload-without-phase", "Please choose one of the open phases.", found=code)
        return phase
    if amends is not None:
        return amends.phase
    phases = list(task_access.phases_to_upload_to(request.user, task, team, at=at)[:2])
    if not phases:
        raise Refusal("phase-closed", "This task is not accepting uploads at the moment.")
    if len(phases) > 1:
        raise Refusal("upload-without-phase", "Please choose one of the open phases.")
    return phases[0]


def chosen_system(public_id: str, team: Team) -> System:
    if not public_id:
        return team.primary_system
    system = next((system for system in team.systems.all() if system.public_id == public_id), None)
    if system is None:
        raise Refusal("upload-without-system", "Please choose one of your team's systems.")
    return system
