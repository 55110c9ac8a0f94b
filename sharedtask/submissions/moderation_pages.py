"""What organisers see and do about runs. Each act is one form; the verbs decide, and write the log."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition import acts
from sharedtask.competition.acts import ActForm, show
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.submissions import mark_official, messages, official, reject, retry_failed
from sharedtask.submissions.alarms import settle
from sharedtask.submissions.combine import combine_numbered
from sharedtask.submissions.forms import (
    CombineForm,
    MessageForm,
    RunActForm,
    TellTeamForm,
    forms_of_alarm,
    forms_of_message,
    forms_of_run,
)
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
    task = organised_task(request, slug)
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
    task = organised_task(request, slug)
    return run_page(request, task, run_of(task, public_id))


def run_page(request: HttpRequest, task: Task, run: Run, *, refused: ActForm | None = None) -> HttpResponse:
    candidates = official.candidates_of(run.team, run.phase)
    selection = official.choose(run.phase, candidates)
    is_official = selection is not None and selection.run.pk == run.pk
    siblings = list(run.team.runs.filter(phase=run.phase, system=run.system).order_by("number"))
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
        "run_messages": [
            forms_of_message(message, refused) for message in run.messages.select_related("released_by")
        ],
        "alarms": [forms_of_alarm(alarm, refused) for alarm in run.alarms.all()],
        "parts": [part.part for part in run.parts.select_related("part")],
        "siblings": siblings,
        "has_failed": retry_failed.with_failures(task).filter(pk=run.pk).exists(),
        "log": task.audit.filter(details__run=run.public_id)[:50],
        "forms": forms_of_run(run, siblings, refused),
    }
    return show(request, "submissions/moderate_run.html", context, refused=refused)


@login_required
@require_POST
def run_act(request: HttpRequest, slug: str, public_id: str, act: str) -> HttpResponse:
    task = organised_task(request, slug)
    run = run_of(task, public_id)
    if act not in RUN_ACTS:
        raise Http404("no such act")
    form = RunActForm(request.POST, key=act)
    done = f"Done: {act.replace('-', ' ')}. The log has it."
    return after(request, task, run, form, partial(RUN_ACTS[act], run=run), done)


@login_required
@require_POST
def alarm_act(request: HttpRequest, slug: str, public_id: str, act: str) -> HttpResponse:
    task = organised_task(request, slug)
    alarms = Alarm.objects.filter(run__task=task).select_related("run__task", "run__team")
    alarm = get_object_or_404(alarms, public_id=public_id)
    if act == "tell":
        telling = TellTeamForm(request.POST, key=f"tell-{public_id}")
        verb: Callable[..., object] = partial(settle.tell_team, alarm=alarm)
        return after(request, task, alarm.run, telling, verb, "The team was told.")
    if act == "settle":
        settling = RunActForm(request.POST, key=f"settle-{public_id}")
        verb = partial(settle.settle, alarm=alarm)
        return after(request, task, alarm.run, settling, verb, "The alarm is settled.")
    raise Http404("no such act")


def after(
    request: HttpRequest,
    task: Task,
    run: Run,
    form: RunActForm | TellTeamForm,
    verb: Callable[..., object],
    done: str,
) -> HttpResponse:
    """Act, and show the page that had the button. The cockpit's stands above this package."""
    acted = acts.act(request, form, verb, done=done)
    if form.from_cockpit:
        if not acted:
            acts.flash_refusal(request, form)
        return redirect("cockpit", task.slug)
    if acted:
        return redirect("moderate-run", task.slug, run.public_id)
    return run_page(request, task, run_of(task, run.public_id), refused=form)


@login_required
@require_POST
def release_message(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    kept = Message.objects.filter(run__task=task).select_related("run__task", "run__team")
    message = get_object_or_404(kept, public_id=public_id)
    form = MessageForm(request.POST, key=f"release-{public_id}")
    done = "The team can read the message now."
    if acts.act(request, form, partial(messages.release, message=message), done=done):
        return redirect("moderate-run", slug, message.run.public_id)
    return run_page(request, task, run_of(task, message.run.public_id), refused=form)


@login_required
@require_POST
def combine_runs(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = CombineForm(request.POST, key="combine")
    run = run_of(task, form["run"].value() or "")
    acted = acts.act(
        request,
        form,
        partial(combine_numbered, run=run),
        done=lambda made: f"Combined into run {made.number}.",
    )
    if acted:
        return redirect("moderate-run", slug, acted.result.public_id)
    return run_page(request, task, run, refused=form)


def run_of(task: Task, public_id: str) -> Run:
    related = ("task", "phase__task", "team", "system", "uploaded_by", "amends")
    # A request can carry a NUL, which no database takes.
    run = task.runs.select_related(*related).filter(public_id=public_id.replace("\0", "")).first()
    if run is None:
        raise Http404("no such run of this task")
    return run
