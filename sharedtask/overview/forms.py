"""What organisers fill in on their first page, and to rehearse a moment."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, UTCTimeField
from sharedtask.competition.models import Task
from sharedtask.overview.rehearsal import STRANGER, VISITOR

WHOLE_NUMBER = "Please give a whole number of runs."
NO_MOMENT = "Please give a moment such as 2026-05-01T12:00, and choose whose eyes to look through."


class BaselineForm(ActForm):
    name = forms.CharField(label="Name", max_length=80)
    reason = ReasonField("Why, for the log")


class GrantForm(ActForm):
    runs = forms.IntegerField(
        label="How many more",
        initial=1,
        error_messages={"required": WHOLE_NUMBER, "invalid": WHOLE_NUMBER},
    )
    reason = ReasonField()


class RetryForm(ActForm):
    reason = ReasonField("What was mended, for the log")


class RehearsalForm(ActForm):
    eyes = forms.ChoiceField(
        label="Through the eyes of", error_messages={"required": NO_MOMENT, "invalid_choice": NO_MOMENT}
    )
    at = UTCTimeField("At (UTC)", error_messages={"required": NO_MOMENT, "invalid": NO_MOMENT})
    published = forms.BooleanField(
        label="As if the results were published then",
        required=False,
        help_text="With the standings that hold now. Nothing is published by looking.",
    )

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["eyes"]
        assert isinstance(field, forms.ChoiceField)
        members = [(team.public_id, f"a member of {team.name}") for team in task.teams.order_by("name")]
        anybody = [(VISITOR, "a visitor"), (STRANGER, "somebody signed in, in no team")]
        field.choices = [*anybody, *members]
