"""The page of a run, and the actions of its team: mark it official, withdraw it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts import roles
from sharedtask.analysis.results import analysed_sets
from sharedtask.competition import acts
from sharedtask.competition.acts import ActForm, render_act_page
from sharedtask.competition.averaging import missing_policy_by
from sharedtask.competition.metrics import displayed_metrics, main_metrics, presentation_of
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.limits import readable_bytes
from sharedtask.overview.run_ranks import ranks_of
from sharedtask.software.disclosure import coarse_incidents
from sharedtask.standings.precision import printed
from sharedtask.submissions import annotate, declare_sample, mark_official, official, run_access, withdraw
from sharedtask.submissions.average import FileCounts, average, figure_of
from sharedtask.submissions.declare_sample import runs_with_sample
from sharedtask.submissions.forms import NoteForm, SampleForm, WithdrawForm, sample_of
from sharedtask.submissions.incident_groups import group_incidents
from sharedtask.submissions.models import Alarm, Run, RunFile, Score
from sharedtask.submissions.progress import progress
from sharedtask.teams import team_access

RUN_ACTS: dict[str, tuple[type[ActForm], Callable[..., None]]] = {
    "mark-official": (ActForm, mark_official.mark_by_team),
    "unmark-official": (ActForm, mark_official.unmark_by_team),
    "withdraw": (WithdrawForm, withdraw.withdraw_run),
    "note": (NoteForm, annotate.write_note),
    "declare": (SampleForm, declare_sample.declare_by_team),
}
"""What a team can do with its run: the form and the function."""


@require_safe
def run(request: HttpRequest, public_id: str) -> HttpResponse:
    return run_page(request, public_id)


def run_page(request: HttpRequest, public_id: str, *, refused: ActForm | None = None) -> HttpResponse:
    context = run_context(request, public_id)
    context["note_form"] = NoteForm.refused_or_new("note", refused, initial={"note": context["run"].note})
    initial = sample_of(context["run"])
    context["sample_form"] = SampleForm.refused_or_new("declare", refused, initial=initial)
    context["withdraw_form"] = WithdrawForm.refused_or_new("withdraw", refused)
    return render_act_page(request, "overview/run.html", context, refused=refused)


@require_safe
def run_state(request: HttpRequest, public_id: str) -> HttpResponse:
    """The part of a run's page that changes; 204 if it has not changed since the page was rendered."""
    context = run_context(request, public_id)
    if request.GET.get("version") == context["progress"].version:
        return HttpResponse(status=204)
    return render(request, "overview/_run_state.html", {**context, "swap": True})


def run_context(request: HttpRequest, public_id: str) -> dict[str, Any]:
    at = clock.database_now()
    related = ("task", "phase__task", "team", "system", "uploaded_by", "amends")
    run = get_object_or_404(Run.objects.select_related(*related), public_id=public_id)
    permissions = run_access.run_permissions(request.user, run, at=at)
    if not permissions.exists:
        raise Http404("no such run for this viewer")
    files = list(run.files.select_related("test_set", "taken_from__run"))
    scores = list(run_access.scores(run, permissions, at=at).select_related("gold", "file__test_set"))
    counts = {score.file.test_set.code: score.counts for score in scores}
    references = run_access.references(request.user, run, scores, at=at)
    above_zero = {} if permissions.scores else run_access.above_zero(run, permissions)
    show_scores = permissions.scores and run.state in (Run.State.SCORING, Run.State.SCORED)
    first_incidents = {}
    if permissions.incidents and not permissions.outputs:
        first_incidents = coarse_incidents(files)
    names = team_access.names(request.user, run.task, at=at)
    columns = displayed_metrics(run.task, run.track) if show_scores else []
    averages = None
    if show_scores and run.state == Run.State.SCORED:
        averages = average(run.task, [file.test_set for file in files], counts, track=run.track)
    return {
        "run": run,
        "task": run.task,
        "name": names.team(run.team),
        "system_name": names.system(run.system, run.team),
        "permissions": permissions,
        "is_organiser": roles.organises(request.user, run.task),
        "progress": progress(run, files, len(counts), permissions),
        "size": readable_bytes(run.size_bytes),
        "rank": ranks_of(request.user, run.task, [run], at=at).get(run.public_id) if show_scores else None,
        "columns": columns,
        "main_metrics": main_metrics(run.task, run.track),
        "averages": [(name, printed_as(run.task, name, averages.get(name))) for name in columns]
        if averages
        else [],
        "averaged_over": partial_average(run.task, files, columns) if averages else "",
        "explained": [(name, presentation_of(run.task, name).explanation) for name in columns],
        "shows_files": permissions.receipt,
        "analysed": analysed_sets(request.user, run, at=at) if show_scores else (),
        "files": [
            {
                "file": file,
                "size": readable_bytes(file.size_bytes) if permissions.outputs else "",
                "state": run_access.visible_file_state(
                    file, is_scored=file.test_set.code in counts, scores=permissions.scores
                ),
                "taken_from": file.taken_from.run if file.taken_from and permissions.receipt else None,
                "scores": scores_of(file, counts.get(file.test_set.code), run.task, columns),
                "references": reference_figures(run.task, references.get(file.test_set.code), columns),
                "reference": references[file.test_set.code].reference
                if file.test_set.code in references
                else "",
                "above_zero": above_zero.get(file.test_set.code),
                "kinds": group_incidents(file.incidents, file.incident_counts)
                if permissions.incidents and permissions.outputs
                else [],
                "first_incident": first_incidents.get(file.pk),
                "can_be_read": permissions.receipt and permissions.outputs and bool(file.output),
                "incident_total": sum(file.incident_counts.values()) if permissions.outputs else None,
            }
            for file in files
        ],
        **team_context(request, run, permissions, at=at),
    }


def series_context(run: Run) -> dict[str, Any]:
    """Of several runs for one training sample the last one counts, and the pages of all say which."""
    if run.training_size is None or not is_counting(run):
        return {}
    runs = runs_with_sample(run, run.training_size, run.training_sample)
    *others, last = [other for other in runs if other.track == run.track] or [run]
    return {"instead_of": others} if last.pk == run.pk else {"counts_instead": last}


def team_context(
    request: HttpRequest, run: Run, permissions: run_access.RunPermissions, *, at: datetime
) -> dict[str, Any]:
    """For the team and organisers only: official status, messages, alarms, possible actions."""
    if not permissions.receipt:
        return {}
    own = team_access.team_of(request.user, run.task)
    is_own = own is not None and own.pk == run.team_id
    candidates = official.candidates_of(run.team, run.phase, run.track)
    selection = official.choose(run.phase, candidates)
    is_official = selection is not None and selection.run.pk == run.pk
    alarms = [alarm for alarm in run_access.alarms(request.user, run, at=at) if alarm.kind in Alarm.FOR_TEAMS]
    markable = run.system.is_primary if run.phase.is_official else mark_official.has_marks(run.phase)
    can_mark = markable and run.origin != Run.Origin.COMBINED
    return {
        **series_context(run),
        "selection": selection,
        "withdrawn_official": official.withdrawn_official(run.phase, candidates),
        "is_official": is_official,
        "messages_released": [
            message for message in run_access.messages(request.user, run) if message.released_at
        ],
        "alarms": alarms,
        "parts": [part.part for part in run.parts.select_related("part")],
        "is_own": is_own,
        "can_mark": is_own and can_mark and is_counting(run) and mark_official.may_mark(run, at=at),
        "can_amend": is_own
        and is_counting(run)
        and run.checked_at
        and run.phase.is_open(at=at, team=run.team),
        "can_declare": is_own
        and run.origin != Run.Origin.SOFTWARE
        and run.phase.is_open(at=at, team=run.team),
        "can_withdraw": is_own and run.status == Run.Status.COUNTS,
        "withdrawal_leaves_unranked": is_official and official.has_closed(run.phase, run.team, at=at),
    }


def is_counting(run: Run) -> bool:
    return run.status == Run.Status.COUNTS and run.state != Run.State.REFUSED


def reference_figures(task: Task, score: Score | None, metrics: Sequence[str]) -> list[tuple[str, str]]:
    """The first metric against each of several references, as printed."""
    if score is None:
        return []
    metric = metrics[0]
    by_name = {name: figures.get(metric) for name, figures in score.by_reference.items()}
    return [(name, printed_as(task, metric, figure)) for name, figure in by_name.items()]


def scores_of(file: RunFile, counts: FileCounts | None, task: Task, metrics: Sequence[str]) -> list[str]:
    """As printed; a file that could not be scored shows the 0 that counts in the averages, if one does."""
    unscored = file.state in (RunFile.State.MISSING, RunFile.State.INVALID)

    def figure(name: str) -> float | None:
        if unscored and policy_by(task, name) == Task.MissingPolicy.ZERO:
            return 0.0
        return figure_of(counts.get(name)) if counts else None

    return [printed_as(task, name, figure(name)) for name in metrics]


def policy_by(task: Task, metric: str) -> Task.MissingPolicy:
    return missing_policy_by(Task.MissingPolicy(task.missing_policy), presentation_of(task, metric))


def partial_average(task: Task, files: Sequence[RunFile], metrics: Sequence[str]) -> str:
    """`3 of 5`, if an average is taken over fewer test sets than the run should have; else empty."""
    unscored = sum(file.state in (RunFile.State.MISSING, RunFile.State.INVALID) for file in files)
    excludes = any(policy_by(task, name) == Task.MissingPolicy.EXCLUDE for name in metrics)
    return f"{len(files) - unscored} of {len(files)}" if unscored and excludes else ""


def printed_as(task: Task, metric: str, figure: float | None) -> str:
    return printed(figure, presentation_of(task, metric))


@login_required
@require_POST
def run_act(request: HttpRequest, public_id: str, act: str) -> HttpResponse:
    """An action of a team member on a run of the team; 404 for everybody else."""
    related = ("task", "phase__task", "team", "system")
    run = get_object_or_404(Run.objects.select_related(*related), public_id=public_id)
    team = team_access.team_of(request.user, run.task)
    if team is None or team.pk != run.team_id:
        raise Http404("no such run of this viewer's team")
    form_class, function = RUN_ACTS[act]
    form = form_class(request.POST, key=act)
    if acts.act(request, form, partial(function, run=run)):
        return redirect(run)
    return run_page(request, public_id, refused=form)
