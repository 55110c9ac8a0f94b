"""The notices of a person, and which kinds of them are wanted."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware
from django.views.decorators.http import require_http_methods

from sharedtask.accounts.signed_in import signed_in
from sharedtask.core import clock
from sharedtask.teams.models import Notice, SwitchedOff

A_PAGE = 50
BOTH, SITE, NEITHER = "both", "site", "neither"
CHOICES = ((BOTH, "site and e-mail"), (SITE, "site only"), (NEITHER, "not at all"))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def listed(request: HttpRequest) -> HttpResponse:
    """POST marks as read all that there was when the page was made, and nothing that came since."""
    user = signed_in(request)
    notices = Notice.objects.filter(user=user)
    if request.method == "POST":
        seen_until = moment_in(request.POST.get("latest", ""))
        if seen_until is not None:
            notices.unread().filter(created_at__lte=seen_until).update(read_at=clock.database_now())
        return redirect("notices")
    page = Paginator(notices.select_related("task"), A_PAGE).get_page(request.GET.get("page"))
    unread = notices.unread().order_by("-created_at").first()
    return render(request, "notices/list.html", {"page": page, "latest_unread": unread})


def moment_in(text: str) -> datetime | None:
    """The moment that the form brings back; None for anything else."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment is not None and is_aware(moment) else None


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def choices(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if request.method == "POST":
        wanted = {kind: request.POST.get(kind, BOTH) for kind in Notice.Kind.values}
        with transaction.atomic():
            SwitchedOff.objects.filter(user=user).delete()
            SwitchedOff.objects.bulk_create(
                SwitchedOff(user=user, kind=kind, on_site_too=wish == NEITHER)
                for kind, wish in wanted.items()
                if wish in (SITE, NEITHER)
            )
        messages.success(request, "Your choice is kept.")
        return redirect("notice-choices")
    off = dict(SwitchedOff.objects.filter(user=user).values_list("kind", "on_site_too"))
    kinds = [
        {"kind": kind, "about": about, "chosen": BOTH if kind not in off else NEITHER if off[kind] else SITE}
        for kind, about in Notice.Kind.choices
    ]
    return render(request, "notices/choices.html", {"kinds": kinds, "choices": CHOICES})
