"""The page of an execution, which follows it while it runs, and the acts of its team."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts import roles
from sharedtask.accounts.models import User
from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software.describe import describe
from sharedtask.software.execution_access import ExecutionPermissions, execution_permissions, is_blind
from sharedtask.software.forms import ReleaseLogForm
from sharedtask.software.models import Execution
from sharedtask.software.request_execution import request_execution
from sharedtask.software.stop import stop_by_team
from sharedtask.submissions.models import RunFile
from sharedtask.teams import team_access

RELATED = (
    "task",
    "phase__task",
    "team__task",
    "version__system__team__task",
    "version__image",
    "run",
    "amends",
)
ORGANISERS_ACTS = ("stop", "restart", "replicate")


@require_safe
def execution(request: HttpRequest, public_id: str) -> HttpResponse:
    return execution_page(request, find_execution(request, public_id))


def find_execution(request: HttpRequest, public_id: str) -> Execution:
    row = get_object_or_404(Execution.objects.select_related(*RELATED), public_id=public_id)
    if not execution_permissions(request.user, row, at=clock.database_now()).state:
        raise Http404("no such execution for this viewer")
    return row


def execution_page(request: HttpRequest, row: Execution, *, refused: ActForm | None = None) -> HttpResponse:
    context = execution_context(request, row, refused=refused)
    return render_act_page(request, "software/execution.html", context, refused=refused)


@require_safe
def execution_state(request: HttpRequest, public_id: str) -> HttpResponse:
    """The part that changes; 204 if it has not changed since the page was rendered."""
    context = execution_context(request, find_execution(request, public_id))
    rendered_version = request.GET.get("version", "")
    if rendered_version == context["view"].version:
        return HttpResponse(status=204)
    # The forms are replaced only if there are others now: somebody may be typing a reason.
    context |= {
        "swap": True,
        "has_other_acts": rendered_version.partition("-")[0] != context["execution"].state,
    }
    return render(request, "software/_execution_state.html", context)


def execution_context(
    request: HttpRequest, row: Execution, *, refused: ActForm | None = None
) -> dict[str, Any]:
    at = clock.database_now()
    permissions = execution_permissions(request.user, row, at=at)
    own = team_access.team_of(request.user, row.task)
    is_own = own is not None and own.pk == row.team_id
    ahead = Execution.objects.ahead_of(row) if row.state == Execution.State.QUEUED else 0
    return {
        "execution": row,
        "task": row.task,
        "permissions": permissions,
        "view": describe(row, permissions, ahead=ahead, at=at),
        "log": visible_log(row, permissions),
        # A form changes the ends of lines.
        "is_released_whole": row.released_log.split() == row.log.split(),
        "is_blind": is_blind(row, at=at),
        "is_own": is_own,
        "is_organiser": roles.organises(request.user, row.task),
        "can_run_missing": is_own and has_missing_files(row),
        "forms": {name: ReasonForm.refused_or_new(name, refused) for name in ORGANISERS_ACTS},
        "release_form": ReleaseLogForm.refused_or_new("release-log", refused, initial={"text": row.log}),
    }


def visible_log(row: Execution, permissions: ExecutionPermissions) -> str:
    if permissions.log:
        return row.log
    return row.released_log if permissions.released_log else ""


def has_missing_files(row: Execution) -> bool:
    if row.run is None or row.run.checked_at is None or row.phase is None:
        return False
    return row.run.files.filter(state__in=[RunFile.State.MISSING, RunFile.State.INVALID]).exists()


@login_required
@require_POST
def team_act(request: HttpRequest, public_id: str, act: str) -> HttpResponse:
    """An act of a team member on an execution of the team; 404 for everybody else."""
    row = find_execution(request, public_id)
    team = team_access.team_of(request.user, row.task)
    if team is None or team.pk != row.team_id:
        raise Http404("no such execution of this viewer's team")
    return perform_act(request, row, act)


def perform_act(request: HttpRequest, row: Execution, name: str) -> HttpResponse:
    functions: dict[str, Callable[..., Execution | None]] = {
        "stop": partial(stop_by_team, execution=row),
        "run-missing": partial(run_missing, execution=row),
    }
    form = ActForm(request.POST, key=name)
    if result := act(request, form, functions[name]):
        return redirect(result.value or row)
    return execution_page(request, row, refused=form)


def run_missing(*, execution: Execution, by: User) -> Execution:
    """Run only the test sets without a valid output again; the others are inherited."""
    if execution.phase is None:
        raise Refusal("nothing-missing", "Continue its experiment, which runs missing parts again.")
    return request_execution(
        version=execution.version,
        phase=execution.phase,
        track=execution.track,
        by=by,
        amends=execution.run,
    )
