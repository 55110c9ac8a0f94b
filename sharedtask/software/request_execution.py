"""Request an execution: a version of a system is to be run on the inputs of a phase.

In: the version and the phase. Out: an `Execution` in state queued, and a message to the workers of the
airlock. The time of the request decides whether it was in time, however long it waits or runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Phase, TestSet
from sharedtask.competition.tracks import NO_TRACK, find_track
from sharedtask.competition.withheld_inputs import withheld_variants
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software import public_gold, quota
from sharedtask.software.availability import refuse_if_unavailable
from sharedtask.software.instructions import build_instructions
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.submissions import admission
from sharedtask.submissions.models import Run, RunFile
from sharedtask.teams.models import Team
from sharedtask.work import dispatch
from sharedtask.work.targets import RUN_SOFTWARE


def request_execution(
    *,
    version: SystemVersion,
    phase: Phase,
    track: str = NO_TRACK,
    by: User | None,
    reason: str = "",
    amends: Run | None = None,
    declared_score: float | None = None,
    at: datetime | None = None,
) -> Execution:
    """With a `reason` by an organiser, on the team's behalf; deadline and quota of the team apply."""
    at = at or clock.database_now()
    team = version.system.team
    refuse_inadmissible(version, phase, at=at)
    admission.refuse_outside_track(phase, track)
    refuse_withheld_input(phase, track, at=at)
    test_sets = missing_test_sets(amends) if amends else test_sets_of(phase, at=at)
    instructions = build_instructions(version, test_sets, find_track(phase.task, track))
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=team.pk)
        admission.refuse_unregistered(phase, team)
        admission.refuse_beyond_quota(phase, quota.software_quota(phase, team, track, at=at))
        quota.refuse_too_many_under_way(team)
        execution = create_execution(
            version=version,
            phase=phase,
            track=track,
            team=team,
            instructions=instructions,
            requested_by=by,
            on_behalf=bool(reason),
            amends=amends,
            declared_score=declared_score,
            requested_at=at,
        )
        if reason:
            audit.write(
                task=phase.task,
                who=by,
                action="run-software",
                subject=execution,
                reason=reasons.required(reason),
                details={"execution": execution.public_id, "phase": phase.code, "version": str(version)},
                at=at,
            )
    return execution


def create_execution(
    *,
    team: Team,
    requested_at: datetime,
    instructions: Mapping[str, Any],
    purpose: str = Execution.Purpose.RUN,
    **values: object,
) -> Execution:
    """Every execution is created here, in a transaction that has locked the team, which numbers them."""
    public_gold.refuse_secret_gold(
        team.task, purpose=purpose, instructions=instructions, at=clock.database_now()
    )
    execution = Execution.objects.create(
        task_id=team.task_id,
        team=team,
        number=(team.executions.aggregate(last=Max("number"))["last"] or 0) + 1,
        requested_at=requested_at,
        dispatched_at=requested_at,
        instructions=instructions,
        purpose=purpose,
        **values,
    )
    dispatch.enqueue(RUN_SOFTWARE, execution.public_id)
    return execution


def refuse_inadmissible(version: SystemVersion, phase: Phase, *, at: datetime) -> None:
    refuse_if_unavailable()
    team = version.system.team
    if phase.task_id != team.task_id:
        raise ValueError("phase and team belong to different tasks")
    if not phase.software:
        raise Refusal("software-not-accepted", f"{phase.title} does not accept software.")
    refuse_unusable(version)
    admission.refuse_outside_phase(phase, team, at=at)


def refuse_unusable(version: SystemVersion) -> None:
    """Its image is not checked or was removed, or its system was withdrawn."""
    if not version.is_ready:
        raise Refusal(
            "image-not-ready",
            f"The image of version {version.number} is {version.image.get_state_display()}.",
            found=version.image.state,
            expected="a checked image",
        )
    admission.refuse_withdrawn_system(version.system)


def refuse_withheld_input(phase: Phase, track: str, *, at: datetime) -> None:
    """Not even in the airlock: the outputs, which the team gets, could contain the hidden gold of a track."""
    chosen = find_track(phase.task, track)
    if chosen is not None and chosen.input in withheld_variants(phase.task, at=at):
        raise Refusal(
            "input-withheld",
            f"The inputs of {chosen.title} are not released yet: "
            "another track has not closed for every team.",
        )


def test_sets_of(phase: Phase, *, at: datetime) -> list[TestSet]:
    """Those whose names are public. The inputs may be secret: that is what the airlock is for.

    A surprise set is left out until it is revealed, because the number of test sets would reveal it.
    """
    candidates = phase.test_sets.revealed(at=at).prefetch_related("inputs")
    return [test_set for test_set in candidates if test_set.given_input is not None]


def missing_test_sets(run: Run) -> Sequence[TestSet]:
    """Of a run that is to be amended: only these are run again."""
    missing = run.files.filter(state__in=[RunFile.State.MISSING, RunFile.State.INVALID])
    files = missing.select_related("test_set").prefetch_related("test_set__inputs")
    if not files:
        raise Refusal("nothing-missing", f"Run {run.number} has no missing or invalid files.")
    return [file.test_set for file in files]
