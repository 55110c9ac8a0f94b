"""An upload in one request becomes a run, through the same steps as on the upload page.

In: a multipart request. Out: the run. With an Idempotency-Key the run gets the id of the stored answer, so
that a request whose process died after accepting it does not create a second run.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from sharedtask.api import idempotency
from sharedtask.api.authentication import owner_of
from sharedtask.api.models import StoredAnswer
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal
from sharedtask.submissions.models import Run
from sharedtask.submissions.receive import StreamingUploadHandler
from sharedtask.submissions.resumable import team_on_behalf
from sharedtask.submissions.upload_page import accept_request
from sharedtask.teams import team_access

CONTENT_TYPE = "multipart/form-data"


class FileHandler(StreamingUploadHandler):
    form_field = "file"


def receive_run(request: HttpRequest, task: Task, answer: Callable[[Run], HttpResponse]) -> HttpResponse:
    if request.content_type != CONTENT_TYPE:
        raise Refusal("upload-type-unsupported", f"The Content-Type has to be {CONTENT_TYPE}.")
    # As on the upload page, before anything reads the body.
    handler = FileHandler(request)
    request.upload_handlers = [handler]
    try:
        # Reads the body.
        fields = sorted(request.POST.items())
        received = handler.incoming.sha256 if handler.incoming is not None else ""
        fingerprint = idempotency.fingerprint(request, json.dumps(fields), received)
        return idempotency.carry_out_once(
            request, fingerprint, lambda row: answer(accept_once(request, task, row))
        )
    finally:
        handler.discard()


def accept_once(request: HttpRequest, task: Task, row: StoredAnswer | None) -> Run:
    if row is not None:
        accepted = Run.objects.filter(public_id=row.public_id).first()
        if accepted is not None:
            return accepted
    user = owner_of(request)
    team_id = request.POST.get("team", "")
    team = team_on_behalf(user, task, team_id) if team_id else team_access.team_of(user, task)
    return accept_request(
        request, task, team, on_behalf=bool(team_id), public_id=row.public_id if row else ""
    )
