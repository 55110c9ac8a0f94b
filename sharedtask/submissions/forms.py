"""What is filled in about runs: with an upload, by its team, and by organisers who moderate."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, ReasonForm, TextField
from sharedtask.submissions.models import Alarm, Message, Run

COCKPIT = "cockpit"


class UploadForm(forms.Form):
    """The fields beside the files, which are streamed past this form (`receive.py`)."""

    phase = TextField(required=False)
    system = TextField(required=False)
    amends = TextField(required=False)
    reason = TextField(required=False)


class WithdrawForm(forms.Form):
    """A team's own."""

    reason = ReasonField("Reason, for the organisers", required=False)


class RunActForm(ReasonForm):
    """`back` names the page whose button it was, where that is not the run's."""

    back = forms.CharField(required=False, widget=forms.HiddenInput)

    @property
    def from_cockpit(self) -> bool:
        return bool(self["back"].value() == COCKPIT)

    @property
    def arguments(self) -> dict[str, Any]:
        return {"reason": self.cleaned_data["reason"]}


class CombineForm(ActForm):
    run = forms.CharField(widget=forms.HiddenInput)
    order = forms.CharField(
        label="Numbers of runs, in their order", help_text="The first valid file of each treebank counts."
    )
    official = forms.BooleanField(label="Mark the result as official", required=False)
    reason = ReasonField()

    def clean_order(self) -> list[str]:
        """`3, 1, 2`, with or without commas."""
        return str(self.cleaned_data["order"]).replace(",", " ").split()

    @property
    def arguments(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("order", "official", "reason")}


class MessageForm(ActForm):
    text = forms.CharField(
        label="What the team will read. Take out whatever shows gold: words, labels, counts.",
        widget=forms.Textarea(attrs={"rows": 6}),
    )
    reason = ReasonField("Why it may be released, for the log")


class TellTeamForm(ActForm):
    text = forms.CharField(
        label="What the team will read. Leave out scores and other teams.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    reason = ReasonField("Why it may know, for the log")
    from_cockpit = False


def forms_of_alarm(alarm: Alarm, refused: ActForm | None) -> dict[str, Any]:
    return {
        "alarm": alarm,
        "tell": TellTeamForm.refused_or_new(f"tell-{alarm.public_id}", refused),
        "settle": RunActForm.refused_or_new(f"settle-{alarm.public_id}", refused),
    }


def forms_of_message(message: Message, refused: ActForm | None) -> dict[str, Any]:
    initial = {"text": message.original}
    return {
        "message": message,
        "form": MessageForm.refused_or_new(f"release-{message.public_id}", refused, initial=initial),
    }


def forms_of_run(run: Run, siblings: list[Run], refused: ActForm | None) -> dict[str, ActForm]:
    """By the name of the act, as the page offers them."""
    labels = {
        "reject": "Reason; the team reads it",
        "withdraw": "Who asked for it; the team reads it",
        "hand-again": "What was mended, for the log",
    }
    acts = ("reject", "withdraw", "restore", "hand-again", "mark-official", "unmark-official")
    offered = {
        act.replace("-", "_"): RunActForm.refused_or_new(act, refused, reason_label=labels.get(act, ""))
        for act in acts
    }
    order = ", ".join(str(sibling.number) for sibling in siblings)
    offered["combine"] = CombineForm.refused_or_new(
        "combine", refused, initial={"run": run.public_id, "order": order}
    )
    if not run.phase.is_official:
        del offered["combine"].fields["official"]
    return offered
