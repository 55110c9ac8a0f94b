"""Upload a single corrected gold file on the page Gold. It is encrypted on arrival; a worker checks it."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from sharedtask.competition.acts import act
from sharedtask.competition.organised_task import organised_task
from sharedtask.core.body_limit import upload_view
from sharedtask.core.errors import Refusal
from sharedtask.folders import jobs
from sharedtask.folders.receive import SealingUploadHandler, sealed_upload
from sharedtask.standings.forms import CorrectGoldForm
from sharedtask.standings.gold_fix.pages import correctable, gold_page

FIELD = "gold"


@upload_view
@csrf_exempt
@login_required
@require_POST
def correct_gold(request: HttpRequest, slug: str) -> HttpResponse:
    # The handler must be set before the CSRF check, which is the first to read the body.
    handler = SealingUploadHandler(request, FIELD)
    request.upload_handlers = [handler]
    try:
        return correct_after_csrf_check(request, slug)
    finally:
        handler.discard()


@csrf_protect
def correct_after_csrf_check(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = CorrectGoldForm(request.POST, key="correct", test_sets=correctable(task))
    try:
        sealed = sealed_upload(request, field=FIELD, missing="Please choose the corrected gold file.")
    except Refusal as refusal:
        # If the upload was cut off, the fields after the file have not been read.
        initial = request.POST.dict()
        form = CorrectGoldForm(key="correct", test_sets=correctable(task), initial=initial)
        form.refusal = refusal
        return gold_page(request, task, refused=form)
    request_correction = partial(jobs.request_correction, task=task, sealed=sealed.incoming)
    if result := act(request, form, request_correction):
        return redirect("folder-job", public_id=result.value.public_id)
    return gold_page(request, task, refused=form)
