"""Pages for organisers who moderate runs. Each act is one form; the functions behind it decide and record."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition import acts
from sharedtask.competition.acts import ActForm, ReasonForm, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.submissions import (
    declare_sample,
    mark_official,
    messages,
    official,
    reject,
    retry_failed,
)
from sharedtask.submissions.alarms import resolve
from sharedtask.submissions.combine import combine_by_numbers
from sharedtask.submissions.forms import (
    CombineForm,
    MessageForm,
    NotifyTeamForm,
    SampleReasonForm,
    alarm_forms,
    message_forms,
    run_forms,
)
from sharedtask.submissions.models import Alarm, Message, Run
from sharedtask.submissions.run_list import RunFilters, runs_to_moderate

RUNS_PER_PAGE = 50
RUN_ACTS: dict[str, Callable[..., None]] = {
    "reject": reject.reject,
    "withdraw": reject.withdraw_for_team,
    "restore": reject.restore,
    "retry": retry_failed.retry_run,
    "mark-official": mark_official.mark_by_organiser,
    "unmark-official": mark_official.unmark_by_organiser,
    "declare": declare_sample.declare_by_organiser,
}
FORMS: dict[str, type[ActForm]] = {"declare": SampleReasonForm}
"""Of acts that need more than a reason."""
DONE = {
    "reject": "The run was rejected.",
    "withdraw": "The run was withdrawn.",
    "restore": "The run was restored.",
    "retry": "The run is being processed again.",
    "mark-official": "The run was marked as official.",
    "unmark-official": "The run is no longer marked as official.",
    "declare": "The training sample was changed.",
}


@login_required
@require_safe
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    filters = RunFilters.from_query(request.GET)
    page = Paginator(runs_to_moderate(task, filters), RUNS_PER_PAGE).get_page(request.GET.get("page"))
    official_by = {
        selection.run.pk: selection.chosen_by
        for phase in task.phases.filter(kind="test").prefetch_related("extensions")
        for selection in official.all_official_runs(phase)
    }
    context = {
        "task": task,
        "page": page,
        "rows": [{"run": run, "official": official_by.get(run.pk)} for run in page],
        "filters": filters,
        "query": filters.query,
        "phases": task.phases.all(),
        "teams": task.teams.order_by("name"),
        "states": Run.State.values,
        "statuses": Run.Status.values,
    }
    return render(request, "submissions/moderate_runs.html", context)


@login_required
@require_safe
def run(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    return run_page(request, task, find_run(task, public_id))


def run_page(request: HttpRequest, task: Task, run: Run, *, refused: ActForm | None = None) -> HttpResponse:
    candidates = official.candidates_of(run.team, run.phase, run.track)
    selection = official.choose(run.phase, candidates)
    is_official = selection is not None and selection.run.pk == run.pk
    siblings = list(run.team.runs.filter(phase=run.phase, system=run.system).order_by("number"))
    context = {
        "task": task,
        "run": run,
        "selection": selection,
        "is_official": is_official,
        "withdrawn_official": official.withdrawn_official(run.phase, candidates),
        "next_official": official.choose(run.phase, [other for other in candidates if other.pk != run.pk]),
        "withdrawal_leaves_unranked": is_official
        and official.has_closed(run.phase, run.team, at=clock.database_now()),
        "files": run.files.select_related("test_set", "taken_from__run"),
        "run_messages": [
            message_forms(message, refused) for message in run.messages.select_related("released_by")
        ],
        "alarms": [alarm_forms(alarm, refused) for alarm in run.alarms.all()],
        "parts": [part.part for part in run.parts.select_related("part")],
        "siblings": siblings,
        "has_failed": retry_failed.runs_with_failures(task).filter(pk=run.pk).exists(),
        "history": task.audit.filter(details__run=run.public_id)[:50],
        "forms": run_forms(run, siblings, refused),
    }
    return render_act_page(request, "submissions/moderate_run.html", context, refused=refused)


@login_required
@require_POST
def run_act(request: HttpRequest, slug: str, public_id: str, act: str) -> HttpResponse:
    task = organised_task(request, slug)
    run = find_run(task, public_id)
    if act not in RUN_ACTS:
        raise Http404("no such act")
    form = FORMS.get(act, ReasonForm)(request.POST, key=act)
    return act_on_run(request, task, run, form, partial(RUN_ACTS[act], run=run), DONE[act])


@login_required
@require_POST
def alarm_act(request: HttpRequest, slug: str, public_id: str, act: str) -> HttpResponse:
    task = organised_task(request, slug)
    alarms = Alarm.objects.filter(run__task=task).select_related("run__task", "run__team", "file")
    alarm = get_object_or_404(alarms, public_id=public_id)
    if act == "notify":
        notify_form = NotifyTeamForm(request.POST, key=f"notify-{public_id}")
        verb: Callable[..., object] = partial(resolve.notify_team, alarm=alarm)
        return act_on_run(request, task, alarm.run, notify_form, verb, "The team was notified.")
    if act == "resolve":
        resolve_form = ReasonForm(request.POST, key=f"resolve-{public_id}")
        verb = partial(resolve.resolve, alarm=alarm)
        return act_on_run(request, task, alarm.run, resolve_form, verb, "The alarm was resolved.")
    raise Http404("no such act")


def act_on_run(
    request: HttpRequest, task: Task, run: Run, form: ActForm, verb: Callable[..., object], done: str
) -> HttpResponse:
    if acts.act(request, form, verb, done=done):
        return redirect("moderate-run", task.slug, run.public_id)
    return run_page(request, task, find_run(task, run.public_id), refused=form)


@login_required
@require_POST
def release_message(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    of_task = Message.objects.filter(run__task=task).select_related("run__task", "run__team")
    message = get_object_or_404(of_task, public_id=public_id)
    form = MessageForm(request.POST, key=f"release-{public_id}")
    done = "The message was released to the team."
    if acts.act(request, form, partial(messages.release, message=message), done=done):
        return redirect("moderate-run", slug, message.run.public_id)
    return run_page(request, task, find_run(task, message.run.public_id), refused=form)


@login_required
@require_POST
def combine_runs(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task = organised_task(request, slug)
    run = find_run(task, public_id)
    form = CombineForm(request.POST, key="combine")
    result = acts.act(
        request,
        form,
        partial(combine_by_numbers, run=run),
        done=lambda combined: f"The runs were combined into run {combined.number}.",
    )
    if result:
        return redirect("moderate-run", slug, result.value.public_id)
    return run_page(request, task, run, refused=form)


def find_run(task: Task, public_id: str) -> Run:
    related = ("task", "phase__task", "team", "system", "uploaded_by", "amends")
    return get_object_or_404(task.runs.select_related(*related), public_id=public_id)
