"""One notice to the team when a training has ended, instead of tens about its executions and runs."""

from __future__ import annotations

from datetime import datetime

from sharedtask.curves.models import Training
from sharedtask.curves.training.describe import describe
from sharedtask.teams.models import Notice
from sharedtask.teams.notices.send import members_of, send_notices


def send_ended(training: Training, *, at: datetime) -> None:
    system = training.version.system
    title = f"{system.name} ({training.phase.title})"
    how = f"was stopped. {training.problem} So far" if training.problem else "has ended"
    send_notices(
        people=members_of(system.team),
        task=training.phase.task,
        kind=Notice.Kind.SOFTWARE,
        event=f"training-ended:{training.public_id}:{at.isoformat()}",
        text=f"The training of {title} {how}: {describe(training).sentence}",
        path=training.get_absolute_url(),
        at=at,
    )
