"""The task's folder in the pages: upload a zip, read the plan, apply it; export it and download it."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from sharedtask.accounts import roles
from sharedtask.accounts.current_user import current_user
from sharedtask.competition.acts import ActForm, act, show
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core.body_limit import upload_view
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.folders import jobs
from sharedtask.folders.forms import ExportForm, ImportForm
from sharedtask.folders.models import FolderJob
from sharedtask.folders.receive import FIELD, SealedZip, SealOnTheWay

LISTED = 20


@upload_view
@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def folder(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Without a slug, the page on which a new task begins."""
    # In place before anything reads the body; the check against forgery reads it first.
    handler = SealOnTheWay(request)
    request.upload_handlers = [handler]
    try:
        return folder_behind_csrf(request, slug)
    finally:
        handler.discard()


@csrf_protect
def folder_behind_csrf(request: HttpRequest, slug: str) -> HttpResponse:
    task = task_to_import(request, slug)
    if request.method != "POST":
        return folder_page(request, task)
    form = ImportForm(request.POST)
    try:
        sealed = sent_zip(request)
    except Refusal as refusal:
        # Where a zip was cut off, the fields that come after it have not been read.
        form = ImportForm(initial=request.POST.dict())
        form.refusal = refusal
        return folder_page(request, task, refused=form)
    if acted := act(request, form, partial(jobs.ask_import, task=task, sealed=sealed.incoming)):
        return redirect("folder-job", public_id=acted.result.public_id)
    return folder_page(request, task, refused=form)


def folder_page(request: HttpRequest, task: Task | None, *, refused: ActForm | None = None) -> HttpResponse:
    context = {
        "task": task,
        "jobs": FolderJob.objects.filter(task=task, by=current_user(request)).select_related("by")[:LISTED]
        if task is None
        else task.folder_jobs.select_related("by")[:LISTED],
        "largest": readable_bytes(upload_limits().archive_bytes),
        "import_form": ImportForm.refused_or_new("", refused),
        "export_form": ExportForm.refused_or_new("export", refused),
    }
    return show(request, "competition/folder.html", context, refused=refused)


def task_to_import(request: HttpRequest, slug: str) -> Task | None:
    if slug:
        return organised_task(request, slug)
    if not roles.can_create_tasks(request.user):
        raise Http404("for administrators and organisers only")
    return None


def sent_zip(request: HttpRequest) -> SealedZip:
    upload = request.FILES.get(FIELD)
    handler = request.upload_handlers[0]
    if isinstance(handler, SealOnTheWay) and handler.too_large:
        limit = readable_bytes(upload_limits().archive_bytes)
        raise Refusal("folder-too-large", f"The zip is larger than {limit}. Nothing was stored.")
    if not isinstance(upload, SealedZip):
        raise Refusal("folder-missing", "Please choose the zip of a task folder.")
    return upload


@login_required
@require_safe
def job(request: HttpRequest, public_id: str) -> HttpResponse:
    found = job_of(request, public_id)
    context = {
        "task": found.task,
        "job": found,
        "has_key": cookie(found) in request.COOKIES and bool(found.stored),
        "waits": found.state in (FolderJob.State.WAITING, FolderJob.State.AGREED),
    }
    template = (
        "competition/_folder_job.html" if request.headers.get("HX-Request") else "competition/folder_job.html"
    )
    return render(request, template, context)


@login_required
@require_POST
def agree(request: HttpRequest, public_id: str) -> HttpResponse:
    jobs.agree(job_of(request, public_id))
    return redirect("folder-job", public_id=public_id)


@login_required
@require_POST
def ask_export(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = ExportForm(request.POST, key="export")
    acted = act(request, form, partial(jobs.ask_export, task=task), done="A worker writes the folder now.")
    if not acted:
        return folder_page(request, task, refused=form)
    asked = acted.result
    response = redirect("folder-job", public_id=asked.job.public_id)
    response.set_cookie(
        cookie(asked.job),
        asked.key,
        max_age=jobs.KEPT,
        path=response.url,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    return response


@login_required
@require_safe
def download(request: HttpRequest, public_id: str) -> HttpResponse:
    """Only the browser that asked has the key."""
    found = job_of(request, public_id)
    key = request.COOKIES.get(cookie(found), "")
    content = jobs.opened(found, key) if key and found.stored else None
    if content is None or found.task is None or found.kind != FolderJob.Kind.EXPORT:
        raise Http404("this browser has no key for it")
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{found.task.slug}.zip"'
    response["Cache-Control"] = "no-store"
    return response


def job_of(request: HttpRequest, public_id: str) -> FolderJob:
    found = get_object_or_404(FolderJob.objects.select_related("task", "by"), public_id=public_id)
    if found.task is not None:
        organised_task(request, found.task.slug)
    elif found.by_id != request.user.pk or not roles.can_create_tasks(request.user):
        raise Http404("for organisers only")
    return found


def cookie(found: FolderJob) -> str:
    return f"export-{found.public_id}"
