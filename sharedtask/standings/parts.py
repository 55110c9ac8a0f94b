"""Large standings in parts: a message for each test set, which any worker takes; the last one joins them.

In: the inputs of a standing. Out: rows and messages for the test sets whose figures are not kept yet. While
there are such rows, the request for the standings waits. When the last is done, it is processed again, finds
all figures, and joins them. So a worker that dies loses one test set, and nothing is computed twice. If
something changes meanwhile, other test sets are missing afterwards, and the same begins again with them.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from sharedtask.competition.models import StandingRequest
from sharedtask.core import clock, storage
from sharedtask.standings import set_parts
from sharedtask.standings.entries import FileInput, Inputs
from sharedtask.standings.inputs import phase_by
from sharedtask.standings.models import StandingPart
from sharedtask.standings.set_parts import SetInputs
from sharedtask.work import dispatch
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import COMPUTE_PART, COMPUTE_STANDINGS


class PartsRequested(Exception):
    """A standing cannot be joined yet; the last of its parts requests it again."""


def request_missing(inputs: Inputs, parts: list[SetInputs]) -> None:
    """Raises `PartsRequested` unless the figures of all test sets are kept."""
    stored = {entry.name for entry in storage.entries(set_parts.FOLDER)}
    missing = [part for part in parts if part.name not in stored]
    if not missing:
        return
    rows = [
        StandingPart(
            phase=inputs.phase,
            track=inputs.track,
            ranking=inputs.ranking,
            name=part.name,
            number_of_parts=len(missing),
            inputs=as_json(part),
        )
        for part in missing
    ]
    with transaction.atomic():
        # Those of earlier inputs are of no use any more.
        StandingPart.objects.filter(phase=inputs.phase).exclude(name__in=[row.name for row in rows]).delete()
        StandingPart.objects.bulk_create(rows, ignore_conflicts=True)
        for row in rows:
            dispatch.enqueue(COMPUTE_PART, row.name)
    raise PartsRequested


def as_json(part: SetInputs) -> dict[str, Any]:
    return {
        "code": part.code,
        "gold": part.gold,
        "profile_version": part.profile_version,
        "files": {run: asdict(file) for run, file in part.files.items()},
        "baselines": list(part.baselines),
    }


def inputs_of(row: StandingPart) -> SetInputs:
    values = dict(row.inputs)
    files = {run: FileInput(**file) for run, file in values.pop("files").items()}
    phase = phase_by(row.phase, values["profile_version"])
    return SetInputs(phase=phase, track=row.track, ranking=row.ranking, files=files, **values)


class ComputePart(WorkKind[StandingPart]):
    target = COMPUTE_PART
    stage = "part of standings"
    key = "name"
    related = ("phase__task",)
    retries = RetryPolicy(max_attempts=12, max_machine_attempts=150, max_losses=12)

    def waiting(self) -> QuerySet[StandingPart]:
        return StandingPart.objects.all()

    def process(self, row: StandingPart) -> None:
        part = inputs_of(row)
        # If the rules have changed meanwhile, the name is another one, and nobody needs this part.
        if part.name == row.name:
            set_parts.compute_part(part)
        finish(row)

    def give_up(self, row: StandingPart, failure: Failure) -> None:
        """Without it there is no standing: the request fails, until something changes or it is retried."""
        StandingRequest.objects.filter(phase=row.phase_id).update(
            failed_at=clock.database_now(), progress="", failure=failure.as_json()
        )
        StandingPart.objects.filter(phase=row.phase_id).delete()

    def details(self, row: StandingPart) -> dict[str, str]:
        return {"test_set": row.inputs["code"]}

    def log_fields(self, row: StandingPart) -> dict[str, str]:
        return {"phase": str(row.phase_id), "test_set": row.inputs["code"]}


def finish(row: StandingPart) -> None:
    """The last one requests that all are joined."""
    StandingPart.objects.filter(pk=row.pk).delete()
    left = StandingPart.objects.filter(phase=row.phase_id).count()
    share = max(0, row.number_of_parts - left) / row.number_of_parts
    request = StandingRequest.objects.filter(phase=row.phase_id)
    request.update(progress=f"{row.ranking}, {int(100 * share)}%")
    if not left:
        dispatch.enqueue(COMPUTE_STANDINGS, row.phase_id)
