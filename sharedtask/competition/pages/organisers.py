"""The organisers of a task: list, add and remove them."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from sharedtask.accounts import roles
from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.forms import REMOVE, OrganiserForm
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.competition.organisers import add_organiser, remove_organiser


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def organisers(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    if request.method != "POST":
        return organisers_page(request, task)
    form = OrganiserForm(request.POST)
    change, done = add_organiser, "The organiser has been added."
    if form.removes:
        form = OrganiserForm(request.POST, key=f"out-{form['name'].value()}")
        change, done = remove_organiser, "The organiser has been removed."
    if act(request, form, partial(change, task=task), done=done):
        # Organisers who have removed themselves can no longer see this page.
        return redirect("organisers", slug=slug) if roles.organises(request.user, task) else redirect(task)
    return organisers_page(request, task, refused=form)


def organisers_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    people = [
        {
            "person": person,
            "form": OrganiserForm.refused_or_new(
                f"out-{person.username}", refused, initial={"act": REMOVE, "name": person.username}
            ),
        }
        for person in task.organisers.order_by("full_name", "username")
    ]
    context = {"task": task, "people": people, "form": OrganiserForm.refused_or_new("", refused)}
    return render_act_page(request, "competition/organisers.html", context, refused=refused)
