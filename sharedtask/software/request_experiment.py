"""Request an execution of an experiment: a version of a system on inputs that the server has made.

In: the version, its inputs in storage, and which part of which experiment it is. Out: an `Execution` in state
queued, whose outputs become no run. When it is final, a message goes to the work that its purpose belongs to,
with the public id of the experiment; the sweep of that work finds it without the message too.

An experiment may need tens of executions. Request the next one when another has ended, as long as
`quota.room_for_experiments` says that there is room: so runs of other teams come in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from airlock.contract import CONSTRAINTS
from sharedtask.accounts.models import User
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software import quota
from sharedtask.software.availability import refuse_if_unavailable
from sharedtask.software.instructions import ExperimentInput, build_experiment_instructions
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.request_execution import create_execution, refuse_unusable
from sharedtask.teams.models import Team
from sharedtask.work import dispatch
from sharedtask.work.targets import EXPERIMENT_WORK

TRAIN = "train"


def request_experiment_execution(
    *,
    version: SystemVersion,
    purpose: Execution.Purpose,
    experiment: str,
    part: str,
    inputs: Sequence[ExperimentInput],
    by: User | None,
    on_behalf: bool = False,
    at: datetime | None = None,
) -> Execution:
    """Twice for the same part: the execution that is under way, or is done and has all its outputs."""
    at = at or clock.database_now()
    refuse_if_unavailable()
    refuse_unusable(version)
    refuse_undeclared(version, inputs)
    instructions = build_experiment_instructions(version, inputs)
    with transaction.atomic():
        team = Team.objects.select_for_update().select_related("task").get(pk=version.system.team_id)
        before = Execution.objects.parts_of(experiment, purpose).filter(team=team)
        newest = before.filter(part=part).order_by("-pk").first()
        if newest is not None and (newest.is_complete or not newest.is_final):
            return newest
        if not before.exists() and not on_behalf:
            quota.refuse_beyond_experiments(team, at=at)
        refuse_without_room(team)
        return create_execution(
            version=version,
            team=team,
            purpose=purpose,
            experiment=experiment,
            part=part,
            instructions=instructions,
            requested_by=by,
            on_behalf=on_behalf,
            uses_quota=not on_behalf,
            requested_at=at,
        )


def refuse_undeclared(version: SystemVersion, inputs: Sequence[ExperimentInput]) -> None:
    """A system gets only what its image says that it can use."""
    keys = {key for each in inputs for key in each.files}
    image = version.image
    for key, declared, label in (
        (CONSTRAINTS, image.honours_constraints, "arboretum.constraints=honoured"),
        (TRAIN, image.can_train, "arboretum.train=yes"),
    ):
        if key in keys and not declared:
            raise Refusal(
                "label-missing",
                f"The image of version {version.number} does not have the label {label}.",
                expected=label,
            )


def refuse_without_room(team: Team) -> None:
    if not quota.room_for_experiments(team):
        raise Refusal(
            "too-many-executions",
            "Executions of experiments of this team are under way. The next one can be requested when one of "
            "them has ended.",
            expected=f"at most {quota.MAX_OF_EXPERIMENTS_UNDER_WAY} at a time",
        )


def enqueue_experiment(execution: Execution) -> None:
    """After an execution has become final."""
    if target := EXPERIMENT_WORK.get(execution.purpose):
        dispatch.enqueue(target, execution.experiment)
