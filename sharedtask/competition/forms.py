"""Forms for organisers about the task itself. They check the input; the functions they call decide."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, TextField, UTCTimeField
from sharedtask.competition.announce import EMPTY, MAX_SUBJECT_LENGTH, MAX_TEXT_LENGTH

ADD, REMOVE = "add", "remove"


class AnnouncementForm(ActForm):
    subject = forms.CharField(
        label="Subject", max_length=MAX_SUBJECT_LENGTH, error_messages={"required": EMPTY}
    )
    text = forms.CharField(
        label="Text (Markdown)",
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 10}),
        error_messages={"required": EMPTY},
    )


class OrganiserForm(ActForm):
    """Add or remove an organiser; `act` says which."""

    act = forms.ChoiceField(choices=[(ADD, ADD), (REMOVE, REMOVE)], required=False, widget=forms.HiddenInput)
    name = TextField(
        label="E-mail address or sign-in name",
        max_length=254,
        help_text="The address must be confirmed. Both are shown on the person’s page <em>Your account</em>.",
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
    opens_at = UTCTimeField("Opens (UTC)")
    closes_at = UTCTimeField(
        "Closes (UTC)", required=False, help_text="Leave empty for a phase that never closes."
    )
    reason = ReasonField()
    announce = forms.BooleanField(
        label="Announce the new times and the reason publicly", required=False, initial=True
    )
    past = forms.BooleanField(
        label="Allow a closing time in the past, which stops uploads now", required=False
    )

    @property
    def arguments(self) -> dict[str, Any]:
        values = dict(self.cleaned_data)
        announce_change, allow_past = values.pop("announce"), values.pop("past")
        return {**values, "announce_change": announce_change, "allow_past": allow_past}
