"""The upload page: for a member's own team, or for an organiser on a team's behalf.

The views translate between HTTP and the steps of `workflow.py`; they decide nothing.
"""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from sharedtask.accounts import roles
from sharedtask.accounts.models import User
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core.body_limit import upload_view
from sharedtask.core.errors import Refusal
from sharedtask.core.public_ids import new_public_id
from sharedtask.submissions import workflow
from sharedtask.submissions.destination import read_destination
from sharedtask.submissions.models import Run
from sharedtask.submissions.receive import StreamingUploadHandler, received_upload
from sharedtask.submissions.upload_form import upload_form
from sharedtask.teams import team_access
from sharedtask.teams.models import Team


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


def accept_request(
    request: HttpRequest, task: Task, team: Team | None, *, on_behalf: bool, public_id: str = ""
) -> Run:
    """`public_id` is for the new run, where the request has one already."""
    received = received_upload(request)
    destination = read_destination(
        request.POST, viewer=request.user, task=task, team=team, on_behalf=on_behalf, at=received.at
    )
    upload = destination.upload(
        incoming=received.incoming,
        uploaded_by=request.user if isinstance(request.user, User) else None,
        filename=received.filename,
        single_files=received.single_files,
        at=received.at,
        public_id=public_id or new_public_id(),
    )
    return workflow.accept_upload(upload)
