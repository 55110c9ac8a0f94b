"""Forms about runs: for an upload, for its team, and for organisers who moderate runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet

from sharedtask.competition import reasons
from sharedtask.competition.acts import ActForm, ReasonField, ReasonForm, TextField
from sharedtask.competition.models import Phase, Task
from sharedtask.core.errors import Refusal
from sharedtask.submissions import admission
from sharedtask.submissions.annotate import MAX_LENGTH, fitting_note
from sharedtask.submissions.models import Alarm, Message, Run
from sharedtask.teams.models import System, Team


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
        super().__init__(required=False, min_value=1, max_value=10_000_000)
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
        self.offer("phase", task.phases.begun(at=at).select_related("task"))
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


class WithdrawForm(ActForm):
    """For a team that withdraws its own run or system."""

    reason = ReasonField("Reason for the organisers", required=False)


class NoteForm(ActForm):
    """A team's note about its run."""

    note = TextField(
        label="Note, for your team and the organisers",
        required=False,
        widget=forms.TextInput(attrs={"maxlength": MAX_LENGTH}),
    )


class CombineForm(ActForm):
    order = forms.CharField(
        label="Run numbers, in order of preference",
        help_text="For each test set, the first valid file counts.",
    )
    official = forms.BooleanField(label="Mark the combined run as official", required=False)
    reason = ReasonField()

    def clean_order(self) -> list[str]:
        """`3, 1, 2`, with or without commas."""
        return str(self.cleaned_data["order"]).replace(",", " ").split()


class MessageForm(ActForm):
    text = forms.CharField(
        label="Text for the team. Remove everything that reveals gold: words, labels, counts.",
        widget=forms.Textarea(attrs={"rows": 6}),
    )
    reason = ReasonField("Reason for releasing it (for the audit log)")


class NotifyTeamForm(ActForm):
    text = forms.CharField(
        label="Text for the team. Do not mention scores or other teams.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    reason = ReasonField("Reason for notifying the team (for the audit log)")


def alarm_forms(alarm: Alarm, refused: ActForm | None) -> dict[str, Any]:
    return {
        "alarm": alarm,
        "notify": NotifyTeamForm.refused_or_new(f"notify-{alarm.public_id}", refused),
        "resolve": ReasonForm.refused_or_new(f"resolve-{alarm.public_id}", refused),
    }


def message_forms(message: Message, refused: ActForm | None) -> dict[str, Any]:
    initial = {"text": message.original}
    return {
        "message": message,
        "form": MessageForm.refused_or_new(f"release-{message.public_id}", refused, initial=initial),
    }


def run_forms(run: Run, siblings: list[Run], refused: ActForm | None) -> dict[str, ActForm]:
    """By the name of the act, as the template uses them."""
    labels = {
        "reject": "Reason (shown to the team)",
        "withdraw": "Who asked for it (shown to the team)",
        "retry": "What was fixed (for the audit log)",
    }
    acts = ("reject", "withdraw", "restore", "retry", "mark-official", "unmark-official")
    forms_by_act = {
        act.replace("-", "_"): ReasonForm.refused_or_new(act, refused, reason_label=labels.get(act, ""))
        for act in acts
    }
    order = ", ".join(str(sibling.number) for sibling in siblings)
    forms_by_act["combine"] = CombineForm.refused_or_new("combine", refused, initial={"order": order})
    if not run.phase.is_official:
        del forms_by_act["combine"].fields["official"]
    return forms_by_act
