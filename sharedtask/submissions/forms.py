"""Forms about runs: for an upload, for its team, and for organisers who moderate runs."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, ReasonForm, TextField
from sharedtask.submissions.models import Alarm, Message, Run

BACK_TO_OVERVIEW = "overview"


class UploadForm(forms.Form):
    """The fields of an upload other than the files, which `receive.py` streams to disk."""

    phase = TextField(required=False)
    system = TextField(required=False)
    amends = TextField(required=False)
    note = TextField(required=False)
    reason = TextField(required=False)


class WithdrawForm(forms.Form):
    """For a team that withdraws its own run."""

    reason = ReasonField("Reason (for the organisers)", required=False)


class RunActForm(ReasonForm):
    """`back` names the page with the button, if it is not the page of the run."""

    back = forms.CharField(required=False, widget=forms.HiddenInput)

    @property
    def from_overview(self) -> bool:
        return bool(self["back"].value() == BACK_TO_OVERVIEW)

    @property
    def arguments(self) -> dict[str, Any]:
        return {"reason": self.cleaned_data["reason"]}


class CombineForm(ActForm):
    run = forms.CharField(widget=forms.HiddenInput)
    order = forms.CharField(
        label="Run numbers, in order of preference",
        help_text="For each test set, the first valid file counts.",
    )
    official = forms.BooleanField(label="Mark the combined run as official", required=False)
    reason = ReasonField()

    def clean_order(self) -> list[str]:
        """`3, 1, 2`, with or without commas."""
        return str(self.cleaned_data["order"]).replace(",", " ").split()

    @property
    def arguments(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("order", "official", "reason")}


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
    from_overview = False


def alarm_forms(alarm: Alarm, refused: ActForm | None) -> dict[str, Any]:
    return {
        "alarm": alarm,
        "notify": NotifyTeamForm.refused_or_new(f"notify-{alarm.public_id}", refused),
        "resolve": RunActForm.refused_or_new(f"resolve-{alarm.public_id}", refused),
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
        act.replace("-", "_"): RunActForm.refused_or_new(act, refused, reason_label=labels.get(act, ""))
        for act in acts
    }
    order = ", ".join(str(sibling.number) for sibling in siblings)
    forms_by_act["combine"] = CombineForm.refused_or_new(
        "combine", refused, initial={"run": run.public_id, "order": order}
    )
    if not run.phase.is_official:
        del forms_by_act["combine"].fields["official"]
    return forms_by_act
