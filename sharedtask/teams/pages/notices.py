"""A person's notices, and the settings of which kinds to receive."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from sharedtask.accounts.current_user import current_user
from sharedtask.core import clock
from sharedtask.teams.forms import MarkReadForm, NoticeSettingsForm
from sharedtask.teams.models import Notice, NoticeChoice

PAGE_SIZE = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def notice_list(request: HttpRequest) -> HttpResponse:
    """POST marks as read what the page showed, and nothing that arrived since."""
    user = current_user(request)
    notices = Notice.objects.filter(user=user)
    if request.method == "POST":
        form = MarkReadForm(request.POST)
        if form.is_valid():
            on_page = notices.unread().filter(created_at__lte=form.cleaned_data["latest"])
            on_page.update(read_at=clock.database_now())
        return redirect("notices")
    page = Paginator(notices.select_related("task"), PAGE_SIZE).get_page(request.GET.get("page"))
    unread = notices.unread().order_by("-created_at").first()
    return render(request, "teams/notices/list.html", {"page": page, "latest_unread": unread})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def notice_settings(request: HttpRequest) -> HttpResponse:
    user = current_user(request)
    if request.method != "POST":
        chosen = NoticeChoice.objects.filter(user=user).values_list("kind", "channel")
        return settings_page(request, NoticeSettingsForm(initial=dict(chosen)))
    form = NoticeSettingsForm(request.POST)
    if not form.is_valid():
        return settings_page(request, form)
    with transaction.atomic():
        NoticeChoice.objects.filter(user=user).delete()
        NoticeChoice.objects.bulk_create(
            NoticeChoice(user=user, kind=kind, channel=channel)
            for kind, channel in form.cleaned_data.items()
            if channel and channel != Notice.default_channel(kind)
        )
    messages.success(request, "Settings saved.")
    return redirect("notice-settings")


def settings_page(request: HttpRequest, form: NoticeSettingsForm) -> HttpResponse:
    context = {"form": form, "choices": NoticeSettingsForm.CHOICES}
    return render(request, "teams/notices/settings.html", context, status=400 if form.errors else 200)
