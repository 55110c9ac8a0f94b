"""Where an upload goes: phase, track, system, amended run, from the fields of a form or a resumable upload.

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
from sharedtask.competition.tracks import NO_TRACK, track_codes
from sharedtask.core.errors import Refusal
from sharedtask.submissions import admission
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.forms import UploadForm
from sharedtask.submissions.models import Run
from sharedtask.teams.models import System, Team


@dataclass(frozen=True, kw_only=True)
class Destination:
    phase: Phase
    team: Team
    system: System
    track: str
    """Empty in a task without tracks."""
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
            track=self.track,
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
    phase = values["phase"] or (amends.phase if amends else only_open_phase(viewer, task, team, at=at))
    return Destination(
        phase=phase,
        team=team,
        system=amends.system if amends else values["system"] or team.primary_system,
        track=amends.track if amends else values["track"] or only_track(phase),
        amends=amends,
        on_behalf=values["reason"],
        note=values["note"],
        training_size=amends.training_size if amends else values["training_size"],
        training_sample=amends.training_sample if amends else values["training_sample"],
    )


def only_track(phase: Phase) -> str:
    """For fields that name no track."""
    codes = track_codes(phase)
    if len(codes) > 1:
        admission.refuse_outside_track(phase, NO_TRACK)
    return codes[0] if codes else NO_TRACK


def only_open_phase(viewer: Viewer, task: Task, team: Team, *, at: datetime) -> Phase:
    """For fields that name no phase."""
    phases = list(task_access.phases_to_upload_to(viewer, task, team, at=at)[:2])
    if not phases:
        raise Refusal("phase-closed", "This task is not accepting uploads at the moment.")
    if len(phases) > 1:
        raise Refusal("upload-without-phase", "Please choose one of the open phases.")
    return phases[0]
