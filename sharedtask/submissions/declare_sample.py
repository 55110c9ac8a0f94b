"""Change what a run declares: the training sample that its system was trained on, or none.

In: a run, a size and a sample. Out: its new place in the series of its system, and an entry in the audit
log; or a refusal. A run of a series is neither ranked nor official. So a run enters or leaves a series only
while its phase is open for its team. Later its team changes nothing, and organisers the size and the sample.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.work import dispatch
from sharedtask.work.targets import ANALYSE_SERIES


def declare_by_team(*, run: Run, by: User, training_size: int | None, training_sample: int | None) -> None:
    at = clock.database_now()
    if not run.phase.is_open(at=at, team=run.team):
        raise Refusal(
            "declared-too-late",
            f"{run.phase.title} has closed. The organisers can correct the size or the sample.",
        )
    declare(run, by, size=training_size, sample=training_sample, reason="", at=at)


def declare_by_organiser(
    *, run: Run, by: User, training_size: int | None, training_sample: int | None, reason: str
) -> None:
    at = clock.database_now()
    declare(run, by, size=training_size, sample=training_sample, reason=reasons.required(reason), at=at)


def declare(run: Run, by: User, *, size: int | None, sample: int | None, reason: str, at: datetime) -> None:
    with transaction.atomic():
        # Two declarations of one team must not give two runs the same place.
        Team.objects.select_for_update().get(pk=run.team_id)
        current = Run.objects.select_related("phase__task", "team").get(pk=run.pk)
        number = (sample or 1) if size else None
        refuse_impossible(current, size, at=at)
        refuse_taken(current, size, number)
        before = (current.training_size, current.training_sample)
        Run.objects.filter(pk=run.pk).update(training_size=size, training_sample=number)
        audit.write(
            task=run.task,
            who=by,
            action="declare-sample",
            subject=run,
            reason=reason,
            details={"run": run.public_id, "before": describe(*before), "after": describe(size, number)},
            at=at,
        )
        dispatch.enqueue(ANALYSE_SERIES, run.system_id)
        request_standings(run.phase_id, at=at)


def refuse_impossible(run: Run, size: int | None, *, at: datetime) -> None:
    if run.is_trained_here:
        raise Refusal("trained-by-the-server", "The server trained this run, so its sample is fixed.")
    if run.origin == Run.Origin.SOFTWARE:
        raise Refusal(
            "run-of-software", "This is a run of software. The server trains software on samples itself."
        )
    crosses = (run.training_size is None) != (size is None)
    if crosses and not run.phase.is_open(at=at, team=run.team):
        raise Refusal(
            "declared-too-late",
            f"{run.phase.title} has closed: a run can neither enter nor leave a series, because that would "
            "change the ranking.",
        )
    if size is not None and (run.marked_official_at or run.marked_by_organiser):
        raise Refusal(
            "mark-in-series", "A marked run cannot be part of a series. Please remove the mark first."
        )


def runs_with_sample(run: Run, size: int, sample: int | None) -> list[Run]:
    """All of the run's system and phase for this sample, in order of time: of a track the last one counts."""
    runs = Run.objects.filter(
        system_id=run.system_id,
        phase_id=run.phase_id,
        training_size=size,
        training_sample=sample,
    ).counting()
    # A failure after the check is hidden in a blind phase, so that it must make no difference here.
    unusable = Q(state=Run.State.REFUSED) | Q(state=Run.State.FAILED, checked_at=None)
    return list(runs.exclude(unusable).order_by("received_at", "number"))


def refuse_taken(run: Run, size: int | None, sample: int | None) -> None:
    """Of two runs for a sample the last would count, and the other not."""
    if size is None:
        return
    other = next((other for other in runs_with_sample(run, size, sample) if other.pk != run.pk), None)
    if other is not None:
        raise Refusal(
            "sample-taken",
            f"Run {other.number} is already {describe(size, sample)}. Please choose another number, or "
            "withdraw that run first.",
            found=describe(size, sample),
        )


def describe(size: int | None, sample: int | None) -> str:
    return "not in a series" if size is None else f"sample {sample} with {size} sentences"
