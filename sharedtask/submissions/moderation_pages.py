"""What organisers see and do about runs. Each act is one form; the verbs decide, and write the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages as flash
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.competition.organised import organised
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import mark_official, messages, official, reject, retry_failed
from sharedtask.submissions.alarms import settle
from sharedtask.submissions.combine import combine
from sharedtask.submissions.models import Alarm, Message, Run
from sharedtask.submissions.run_list import Filters, runs_to_moderate

A_PAGE = 50
RUN_ACTS: dict[str, Callable[..., None]] = {
    "reject": reject.reject,
    "withdraw": reject.withdraw_for_team,
    "restore": reject.restore,
    "hand-again": retry_failed.hand_again,
    "mark-official": mark_official.mark_by_organiser,
    "unmark-official": mark_official.unmark_by_organiser,
}


@login_required
@require_safe
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    filters = Filters.of(request.GET)
    page = Paginator(runs_to_moderate(task, filters), A_PAGE).get_page(request.GET.get("page"))
    chosen = {
        selection.run.pk: selection.chosen_by
        for phase in task.phases.filter(kind="test").prefetch_related("extensions")
        for selection in official.official_runs(phase).values()
    }
    context = {
        "task": task,
        "page": page,
        "rows": [{"run": run, "official": chosen.get(run.pk)} for run in page],
        "filters": filters,
        "query": filters.query,
        "phases": task.phases.all(),
        "teams": task.teams.order_by("name"),
        "states": Run.State.values,
        "fates": Run.Fate.values,
    }
    return render(request, "submissions/moderate_runs.html", context)


@login_required
@require_safe
def run(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised(request, slug)
    run = run_of(task, public_id)
    candidates = official.candidates_of(run.team, run.phase)
    selection = official.choose(run.phase, candidates)
    is_official = selection is not None and selection.run.pk == run.pk
    siblings = run.team.runs.filter(phase=run.phase, system=run.system).order_by("number")
    context = {
        "task": task,
        "run": run,
        "selection": selection,
        "is_official": is_official,
        "vacated": official.vacated(run.phase, candidates),
        "next_official": official.choose(run.phase, [one for one in candidates if one.pk != run.pk]),
        "withdrawing_unranks": is_official
        and official.has_closed(run.phase, run.team, at=clock.database_now()),
        "files": run.files.select_related("test_set", "taken_from__run"),
        "run_messages": run.messages.select_related("released_by"),
        "alarms": run.alarms.all(),
        "parts": [part.part for part in run.parts.select_related("part")],
        "siblings": siblings,
        "has_failed": retry_failed.with_failures(task).filter(pk=run.pk).exists(),
        "log": task.audit.filter(details__run=run.public_id)[:50],
    }
    return render(request, "submissions/moderate_run.html", context)


@login_required
@require_POST
def run_act(request: HttpRequest, slug: str, public_id: str, act: str) -> HttpResponse:
    task = organised(request, slug)
    run = run_of(task, public_id)
    if act not in RUN_ACTS:
        raise Http404("no such act")
    verb, reason = RUN_ACTS[act], request.POST.get("reason", "")
    done = attempt(request, lambda: verb(run=run, by=person(request), reason=reason))
    if done is not FAILED:
        flash.success(request, f"Done: {act.replace('-', ' ')}. The log has it.")
    if request.POST.get("back") == "cockpit":
        return redirect("cockpit", slug)
    return redirect("moderate-run", slug, public_id)


@login_required
@require_POST
def release_message(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised(request, slug)
    found = Message.objects.filter(run__task=task).select_related("run__task", "run__team")
    message = get_object_or_404(found, public_id=public_id)
    text, reason = request.POST.get("text", ""), request.POST.get("reason", "")
    done = attempt(
        request, lambda: messages.release(message=message, text=text, by=person(request), reason=reason)
    )
    if done is not FAILED:
        flash.success(request, "The team can read the message now.")
    return redirect("moderate-run", slug, message.run.public_id)


@login_required
@require_POST
def alarm_act(request: HttpRequest, slug: str, public_id: str, act: str) -> HttpResponse:
    task = organised(request, slug)
    found = Alarm.objects.filter(run__task=task).select_related("run__task", "run__team")
    alarm = get_object_or_404(found, public_id=public_id)
    reason, text = request.POST.get("reason", ""), request.POST.get("text", "")
    verbs: dict[str, Callable[[], Any]] = {
        "tell": lambda: settle.tell_team(alarm=alarm, text=text, by=person(request), reason=reason),
        "settle": lambda: settle.settle(alarm=alarm, by=person(request), reason=reason),
    }
    if act not in verbs:
        raise Http404("no such act")
    if attempt(request, verbs[act]) is not FAILED:
        flash.success(request, "The team was told." if act == "tell" else "The alarm is settled.")
    if request.POST.get("back") == "cockpit":
        return redirect("cockpit", slug)
    return redirect("moderate-run", slug, alarm.run.public_id)


@login_required
@require_POST
def combine_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """The parts as numbers of one team's runs, in their order: `3, 1, 2`."""
    task = organised(request, slug)
    back = run_of(task, request.POST.get("run", ""))
    reason = request.POST.get("reason", "")

    @transaction.atomic
    def act() -> Run:
        """A result that cannot be marked as it should be is not made at all."""
        made = combine(parts=parts_named(request, back), by=person(request), reason=reason)
        if request.POST.get("official"):
            mark_official.mark_by_organiser(run=made, by=person(request), reason=reason)
        return made

    made = attempt(request, act)
    if made is FAILED:
        return redirect("moderate-run", slug, back.public_id)
    flash.success(request, f"Combined into run {made.number}.")
    return redirect("moderate-run", slug, made.public_id)


def parts_named(request: HttpRequest, run: Run) -> list[Run]:
    words = request.POST.get("order", "").replace(",", " ").split()
    by_number = {str(one.number): one for one in run.team.runs.select_related("task", "phase", "system")}
    unknown = [word for word in words if word not in by_number]
    if unknown:
        raise Refusal("combine-unknown-run", f"{run.team.name} has no run {', '.join(unknown)}.")
    return [by_number[word] for word in words]


FAILED = object()


def attempt(request: HttpRequest, act: Callable[[], Any]) -> Any:
    """What the act returns; or `FAILED`, and the organiser reads why."""
    try:
        return act()
    except Refusal as refusal:
        flash.error(request, refusal.message)
        return FAILED


def run_of(task: Task, public_id: str) -> Run:
    related = ("task", "phase__task", "team", "system", "uploaded_by", "amends")
    run = task.runs.select_related(*related).filter(public_id=clean(public_id)).first()
    if run is None:
        raise Http404("no such run of this task")
    return run


def clean(public_id: str) -> str:
    """A form can bring a NUL, which no database takes."""
    return public_id.replace("\0", "")


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
