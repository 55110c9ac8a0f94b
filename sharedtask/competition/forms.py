"""What organisers fill in about the task as such. Forms check what was written; the verbs decide."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, TextField, UTCTimeField
from sharedtask.competition.announce import EMPTY, LONGEST_SUBJECT, LONGEST_TEXT

ADD, REMOVE = "add", "remove"


class AnnouncementForm(ActForm):
    subject = forms.CharField(label="Subject", max_length=LONGEST_SUBJECT, error_messages={"required": EMPTY})
    text = forms.CharField(
        label="Text (Markdown)",
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 10}),
        error_messages={"required": EMPTY},
    )


class OrganiserForm(ActForm):
    """Of another account, or of one that stops organising; `act` says which."""

    act = forms.ChoiceField(choices=[(ADD, ADD), (REMOVE, REMOVE)], required=False, widget=forms.HiddenInput)
    name = TextField(
        label="Sign-in name",
        max_length=150,
        help_text="It is on the page <em>Your account</em> of whoever it is.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    reason = ReasonField()

    @property
    def removes(self) -> bool:
        return bool(self["act"].value() == REMOVE)

    @property
    def arguments(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("name", "reason")}


class PhaseTimesForm(ActForm):
    opens_at = UTCTimeField("Opens, in UTC")
    closes_at = UTCTimeField("Closes, in UTC", required=False, help_text="Empty: it never closes.")
    reason = ReasonField()
    announce = forms.BooleanField(
        label="Announce the new times and the reason to everybody", required=False, initial=True
    )
    past = forms.BooleanField(label="It may close in the past: I mean to stop uploads now", required=False)

    @property
    def arguments(self) -> dict[str, Any]:
        values = dict(self.cleaned_data)
        announced, past = values.pop("announce"), values.pop("past")
        return {**values, "tells_everybody": announced, "means_the_past": past}
