"""Where an upload goes: phase, system and amended run, from the fields of a form or a resumable upload.

In: those fields, the viewer, the task and the team. Out: a `Destination`, or the refusal of the first field
that cannot be used. `accept.py` decides whether the phase takes this upload.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sharedtask.accounts.roles import Viewer
from sharedtask.competition import task_access
from sharedtask.competition.models import Phase, Task
from sharedtask.core.errors import Refusal
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.forms import UploadForm
from sharedtask.submissions.models import Run
from sharedtask.teams.models import System, Team


@dataclass(frozen=True, kw_only=True)
class Destination:
    phase: Phase
    team: Team
    system: System
    amends: Run | None
    on_behalf: str
    note: str
    training_size: int | None
    training_sample: int | None

    def upload(self, **values: Any) -> Upload:
        """With the other fields of an `Upload`."""
        return Upload(
            phase=self.phase,
            team=self.team,
            system=self.system,
            amends=self.amends,
            on_behalf=self.on_behalf,
            note=self.note,
            training_size=self.training_size,
            training_sample=self.training_sample,
            **values,
        )


def read_destination(
    fields: Mapping[str, Any],
    *,
    viewer: Viewer,
    task: Task,
    team: Team | None,
    on_behalf: bool,
    at: datetime,
) -> Destination:
    if team is None:
        raise Refusal("upload-without-team", "You are not on a team for this task.", expected="a team")
    form = UploadForm(fields, task=task, team=team, on_behalf=on_behalf, at=at)
    if not form.is_valid():
        raise form.refusal
    values = form.cleaned_data
    amends: Run | None = values["amends"]
    return Destination(
        phase=values["phase"] or (amends.phase if amends else only_open_phase(viewer, task, team, at=at)),
        team=team,
        system=amends.system if amends else values["system"] or team.primary_system,
        amends=amends,
        on_behalf=values["reason"],
        note=values["note"],
        training_size=amends.training_size if amends else values["training_size"],
        training_sample=amends.training_sample if amends else values["training_sample"],
    )


def only_open_phase(viewer: Viewer, task: Task, team: Team, *, at: datetime) -> Phase:
    """For fields that name no phase."""
    phases = list(task_access.phases_to_upload_to(viewer, task, team, at=at)[:2])
    if not phases:
        raise Refusal("phase-closed", "This task is not accepting uploads at the moment.")
    if len(phases) > 1:
        raise Refusal("upload-without-phase", "Please choose one of the open phases.")
    return phases[0]
