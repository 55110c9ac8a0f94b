"""Forms about runs, for their team and for organisers who moderate them.

`destination.py` has the form of an upload.
"""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, ReasonForm, TextField
from sharedtask.submissions.annotate import MAX_LENGTH
from sharedtask.submissions.destination import MAX_NUMBER
from sharedtask.submissions.models import Alarm, Message, Run


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


class SampleForm(ActForm):
    """Which training sample a run declares; nothing for a run outside a series."""

    training_size = forms.IntegerField(
        label="Sentences in the training sample",
        required=False,
        min_value=1,
        max_value=MAX_NUMBER,
        help_text="Empty: the run is not part of a series.",
    )
    training_sample = forms.IntegerField(
        label="Number of the sample", required=False, min_value=1, max_value=MAX_NUMBER
    )


class SampleReasonForm(SampleForm):
    reason = ReasonField()


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
    forms_by_act["declare"] = SampleReasonForm.refused_or_new("declare", refused, initial=sample_of(run))
    order = ", ".join(str(sibling.number) for sibling in siblings)
    forms_by_act["combine"] = CombineForm.refused_or_new("combine", refused, initial={"order": order})
    if not run.phase.is_official:
        del forms_by_act["combine"].fields["official"]
    return forms_by_act


def sample_of(run: Run) -> dict[str, int | None]:
    """What a form about its sample begins with."""
    return {"training_size": run.training_size, "training_sample": run.training_sample}
