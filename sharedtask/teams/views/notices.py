"""The notices of a person, and which kinds of them are wanted."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from sharedtask.accounts.signed_in import signed_in
from sharedtask.core import clock
from sharedtask.teams.forms import NoticeChoicesForm as Form
from sharedtask.teams.forms import NoticesSeenForm
from sharedtask.teams.models import Notice, SwitchedOff

A_PAGE = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def listed(request: HttpRequest) -> HttpResponse:
    """POST marks as read all that there was when the page was made, and nothing that came since."""
    user = signed_in(request)
    notices = Notice.objects.filter(user=user)
    if request.method == "POST":
        form = NoticesSeenForm(request.POST)
        if form.is_valid():
            seen = notices.unread().filter(created_at__lte=form.cleaned_data["latest"])
            seen.update(read_at=clock.database_now())
        return redirect("notices")
    page = Paginator(notices.select_related("task"), A_PAGE).get_page(request.GET.get("page"))
    unread = notices.unread().order_by("-created_at").first()
    return render(request, "notices/list.html", {"page": page, "latest_unread": unread})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def choices(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if request.method != "POST":
        off = dict(SwitchedOff.objects.filter(user=user).values_list("kind", "on_site_too"))
        wanted = {kind: Form.NEITHER if on_site_too else Form.SITE for kind, on_site_too in off.items()}
        return choices_page(request, Form(initial=wanted))
    form = Form(request.POST)
    if not form.is_valid():
        return choices_page(request, form)
    with transaction.atomic():
        SwitchedOff.objects.filter(user=user).delete()
        SwitchedOff.objects.bulk_create(
            SwitchedOff(user=user, kind=kind, on_site_too=wish == Form.NEITHER)
            for kind, wish in form.cleaned_data.items()
            if wish in (Form.SITE, Form.NEITHER)
        )
    messages.success(request, "Your choice is kept.")
    return redirect("notice-choices")


def choices_page(request: HttpRequest, form: Form) -> HttpResponse:
    context = {"form": form, "choices": Form.CHOICES}
    return render(request, "notices/choices.html", context, status=400 if form.errors else 200)
