"""Where an upload goes: phase, track, system, amended run, from the fields of a form or a resumable upload.

In: those fields, the viewer, the task and the team. Out: a `Destination`, or the refusal of the first field
that cannot be used. `accept.py` decides whether the phase takes this upload.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet

from sharedtask.accounts.roles import Viewer
from sharedtask.competition import reasons, task_access
from sharedtask.competition.acts import TextField
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import NO_TRACK, track_codes
from sharedtask.core.errors import Refusal
from sharedtask.submissions import admission
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.annotate import fitting_note
from sharedtask.submissions.models import Run
from sharedtask.teams.models import System, Team

MAX_NUMBER = 10_000_000
"""Of sentences in a training sample, and of samples."""


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


class RowField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A row that a form names by a public identifier; None if it names none. `refusal` is for all others."""

    def __init__(self, model: type[Model], key: str, refusal: Refusal) -> None:
        super().__init__(model._default_manager.none(), to_field_name=key, required=False)
        self.refusal = refusal

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except ValidationError as error:
            raise as_error(self.refusal) from error


class SampleField(forms.IntegerField):
    """A positive number that may be left out."""

    def __init__(self, expected: str) -> None:
        super().__init__(required=False, min_value=1, max_value=MAX_NUMBER)
        self.refusal = Refusal("not-a-sample", f"Please enter {expected}.")

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except ValidationError as error:
            raise as_error(self.refusal) from error


class UploadForm(forms.Form):
    """The fields of an upload other than the files, which `receive.py` streams to disk.

    Phase, track, system and run may be left out. `accept.py` decides whether those given can be used.
    """

    reason = TextField(required=False)
    amends = RowField(
        Run, "public_id", Refusal("cannot-amend-run", "Please choose one of your team's checked runs.")
    )
    phase = RowField(Phase, "code", Refusal("upload-without-phase", "Please choose one of the open phases."))
    system = RowField(
        System, "public_id", Refusal("upload-without-system", "Please choose one of your team's systems.")
    )
    track = TextField(required=False)
    note = TextField(required=False)
    training_size = SampleField("a number of sentences from 1 to 10,000,000")
    training_sample = SampleField("a sample number from 1 to 10,000,000")

    def __init__(
        self, *args: Any, task: Task, team: Team | None, on_behalf: bool, at: datetime, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.on_behalf = on_behalf
        self.offer("phase", task.phases.begun(at=at))
        if team is not None:
            self.offer("system", team.systems.all())
            self.offer("amends", team.runs.select_related("system", "phase__task"))

    def offer(self, name: str, rows: QuerySet[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, RowField)
        field.queryset = rows

    def clean_reason(self) -> str:
        """Required of an organiser who uploads on the team's behalf."""
        with refusals_as_errors():
            return reasons.required(self.cleaned_data["reason"]) if self.on_behalf else ""

    def clean_amends(self) -> Run | None:
        run: Run | None = self.cleaned_data["amends"]
        with refusals_as_errors():
            if run is not None:
                admission.refuse_amending_unchecked(run)
        return run

    def clean_note(self) -> str:
        with refusals_as_errors():
            return fitting_note(self.cleaned_data["note"])

    def clean_training_sample(self) -> int | None:
        """A run of a series with a single sample per size need not number it."""
        size, sample = self.cleaned_data.get("training_size"), self.cleaned_data["training_sample"]
        if size is None and sample is not None:
            message = "Please also enter the number of sentences in the training sample."
            raise as_error(Refusal("sample-without-size", message))
        return sample or (1 if size else None)

    @property
    def refusal(self) -> Refusal:
        """The first error of an invalid form. The code of every error is the id of a refusal."""
        error = next(iter(self.errors.as_data().values()))[0]
        return Refusal(str(error.code), error.messages[0])


@contextmanager
def refusals_as_errors() -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        raise as_error(refusal) from refusal


def as_error(refusal: Refusal) -> ValidationError:
    return ValidationError(refusal.message, code=refusal.id)
