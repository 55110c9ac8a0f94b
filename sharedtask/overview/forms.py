"""Forms on the organisers' overview, and the form to start a preview."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, UTCTimeField
from sharedtask.competition.models import Task
from sharedtask.overview.preview import STRANGER, VISITOR

WHOLE_NUMBER = "Enter a whole number of runs."
TIME_AND_VIEWER = "Enter a time such as 2026-05-01T12:00, and choose a viewer."


class BaselineForm(ActForm):
    name = forms.CharField(label="Name", max_length=80)
    reason = ReasonField("Reason, for the audit log")


class GrantForm(ActForm):
    runs = forms.IntegerField(
        label="Extra runs",
        initial=1,
        error_messages={"required": WHOLE_NUMBER, "invalid": WHOLE_NUMBER},
    )
    reason = ReasonField()


class RetryForm(ActForm):
    reason = ReasonField("What was fixed, for the audit log")


class PreviewForm(ActForm):
    eyes = forms.ChoiceField(
        label="View as", error_messages={"required": TIME_AND_VIEWER, "invalid_choice": TIME_AND_VIEWER}
    )
    at = UTCTimeField("Time (UTC)", error_messages={"required": TIME_AND_VIEWER, "invalid": TIME_AND_VIEWER})
    published = forms.BooleanField(
        label="As if results were published",
        required=False,
        help_text="Shows the current standings. Nothing is published.",
    )

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["eyes"]
        assert isinstance(field, forms.ChoiceField)
        members = [(team.public_id, f"a member of {team.name}") for team in task.teams.order_by("name")]
        others = [(VISITOR, "a visitor"), (STRANGER, "a signed-in user without a team")]
        field.choices = [*others, *members]
