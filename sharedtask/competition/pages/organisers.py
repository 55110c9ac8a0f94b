"""The organisers' page of themselves: who they are, letting another one in, taking one out."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from sharedtask.accounts import roles
from sharedtask.competition.organised import organised
from sharedtask.competition.organisers import add_organiser, remove_organiser
from sharedtask.competition.pages.acting import attempt, who


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def organisers(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    if request.method == "POST":
        verb, done = add_organiser, "The account organises this task now."
        if request.POST.get("act") == "remove":
            verb, done = remove_organiser, "The account organises this task no more."
        name, reason = request.POST.get("name", ""), request.POST.get("reason", "")
        attempt(request, lambda: verb(task=task, name=name, by=who(request), reason=reason), done)
        # Who has gone out finds no such page any more.
        return redirect("organisers", slug=slug) if roles.organises(request.user, task) else redirect(task)
    people = task.organisers.order_by("full_name", "username")
    return render(request, "competition/organisers.html", {"task": task, "people": people})
