"""The page Folder of a task: upload a zip, review the plan, apply it; export and download."""

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
from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core.body_limit import upload_view
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.folders import jobs
from sharedtask.folders.forms import ExportForm, ImportForm
from sharedtask.folders.models import FolderJob
from sharedtask.folders.receive import SealingUploadHandler, sealed_upload

MAX_LISTED_JOBS = 20


@upload_view
@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def folder(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Without a slug, the page for a new task."""
    # The handler must be set before the CSRF check, which is the first to read the body.
    handler = SealingUploadHandler(request)
    request.upload_handlers = [handler]
    try:
        return folder_after_csrf_check(request, slug)
    finally:
        handler.discard()


@csrf_protect
def folder_after_csrf_check(request: HttpRequest, slug: str) -> HttpResponse:
    task = task_to_import(request, slug)
    if request.method != "POST":
        return folder_page(request, task)
    form = ImportForm(request.POST)
    try:
        sealed = sealed_upload(request, missing="Please choose the zip of a task folder.")
    except Refusal as refusal:
        # If the upload was cut off, the fields after the zip have not been read.
        form = ImportForm(initial=request.POST.dict())
        form.refusal = refusal
        return folder_page(request, task, refused=form)
    if result := act(request, form, partial(jobs.request_import, task=task, sealed=sealed.incoming)):
        return redirect("folder-job", public_id=result.value.public_id)
    return folder_page(request, task, refused=form)


def folder_page(request: HttpRequest, task: Task | None, *, refused: ActForm | None = None) -> HttpResponse:
    context = {
        "task": task,
        "jobs": FolderJob.objects.filter(task=task, by=current_user(request)).select_related("by")[
            :MAX_LISTED_JOBS
        ]
        if task is None
        else task.folder_jobs.select_related("by")[:MAX_LISTED_JOBS],
        "largest": readable_bytes(upload_limits().archive_bytes),
        "import_form": ImportForm.refused_or_new("", refused),
        "export_form": ExportForm.refused_or_new("export", refused),
    }
    return render_act_page(request, "folders/folder.html", context, refused=refused)


def task_to_import(request: HttpRequest, slug: str) -> Task | None:
    if slug:
        return organised_task(request, slug)
    if not roles.can_create_tasks(request.user):
        raise Http404("for administrators and organisers only")
    return None


@login_required
@require_safe
def job(request: HttpRequest, public_id: str) -> HttpResponse:
    folder_job = job_of(request, public_id)
    context = {
        "task": folder_job.task,
        "job": folder_job,
        "has_key": cookie_name(folder_job) in request.COOKIES and bool(folder_job.stored),
        "waits": folder_job.state in (FolderJob.State.WAITING, FolderJob.State.APPROVED),
    }
    template = "folders/_folder_job.html" if request.headers.get("HX-Request") else "folders/folder_job.html"
    return render(request, template, context)


@login_required
@require_POST
def approve(request: HttpRequest, public_id: str) -> HttpResponse:
    jobs.approve(job_of(request, public_id))
    return redirect("folder-job", public_id=public_id)


@login_required
@require_POST
def request_export(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = ExportForm(request.POST, key="export")
    result = act(
        request, form, partial(jobs.request_export, task=task), done="A worker is writing the folder."
    )
    if not result:
        return folder_page(request, task, refused=form)
    export: jobs.ExportRequest = result.value
    response = redirect("folder-job", public_id=export.job.public_id)
    response.set_cookie(
        cookie_name(export.job),
        export.key,
        max_age=jobs.RETENTION,
        path=response.url,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    return response


@login_required
@require_safe
def download(request: HttpRequest, public_id: str) -> HttpResponse:
    """Only the browser that requested the export has the key."""
    folder_job = job_of(request, public_id)
    key = request.COOKIES.get(cookie_name(folder_job), "")
    content = jobs.open_export(folder_job, key) if key and folder_job.stored else None
    if content is None or folder_job.task is None or folder_job.kind != FolderJob.Kind.EXPORT:
        raise Http404("this browser has no key for it")
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{folder_job.task.slug}.zip"'
    response["Cache-Control"] = "no-store"
    return response


def job_of(request: HttpRequest, public_id: str) -> FolderJob:
    folder_job = get_object_or_404(
        FolderJob.objects.select_related("task", "test_set", "by"), public_id=public_id
    )
    if folder_job.task is not None:
        organised_task(request, folder_job.task.slug)
    elif folder_job.by_id != request.user.pk or not roles.can_create_tasks(request.user):
        raise Http404("for organisers only")
    return folder_job


def cookie_name(folder_job: FolderJob) -> str:
    return f"export-{folder_job.public_id}"
