"""Forms on the organisers' overview, and the form to start a preview."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, UTCTimeField
from sharedtask.competition.models import Phase, Task
from sharedtask.overview.preview import VIEWER_LABELS, member_label
from sharedtask.teams.models import Team

WHOLE_NUMBER = "Enter a whole number of runs."
NO_PHASE = "Choose a phase."
NO_TEAM = "Choose at least one team."
TIME_AND_VIEWER = "Enter a time such as 2026-05-01T12:00, and choose a viewer."


class BaselineForm(ActForm):
    name = forms.CharField(label="Name", max_length=80)
    reason = ReasonField("Reason, for the audit log")


class GrantForm(ActForm):
    """Extra runs for one team, in the phase that the page shows."""

    phase = forms.ChoiceField(
        widget=forms.HiddenInput, error_messages={"required": NO_PHASE, "invalid_choice": NO_PHASE}
    )
    runs = forms.IntegerField(
        label="Extra runs",
        initial=1,
        error_messages={"required": WHOLE_NUMBER, "invalid": WHOLE_NUMBER},
    )
    reason = ReasonField()

    def __init__(self, *args: Any, phases: Iterable[Phase], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by_code = {phase.code: phase for phase in phases}
        choices(self, "phase", [(phase.code, phase.title) for phase in self.by_code.values()])

    @property
    def arguments(self) -> dict[str, Any]:
        return self.cleaned_data | {"phase": self.by_code[self.cleaned_data["phase"]]}


class GrantManyForm(GrantForm):
    """The same for several teams, in any phase."""

    phase = forms.ChoiceField(
        label="Phase", error_messages={"required": NO_PHASE, "invalid_choice": NO_PHASE}
    )
    teams = forms.MultipleChoiceField(
        label="Teams", widget=forms.CheckboxSelectMultiple, error_messages={"required": NO_TEAM}
    )
    field_order = ("phase", "teams", "runs", "reason")

    def __init__(self, *args: Any, teams: Iterable[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by_id = {team.public_id: team for team in teams}
        choices(self, "teams", [(id, team.name) for id, team in self.by_id.items()])

    @property
    def arguments(self) -> dict[str, Any]:
        return super().arguments | {"teams": [self.by_id[id] for id in self.cleaned_data["teams"]]}


class ConfirmManyForm(ActForm):
    """The registrations to confirm together; the teams that have accepted the rules are ticked."""

    teams = forms.MultipleChoiceField(
        label="Teams", widget=forms.CheckboxSelectMultiple, error_messages={"required": NO_TEAM}
    )

    def __init__(self, *args: Any, teams: Iterable[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by_id = {team.public_id: team for team in teams}
        choices(self, "teams", [(id, team.name) for id, team in self.by_id.items()])
        self.initial["teams"] = [id for id, team in self.by_id.items() if team.rules_version]

    @property
    def arguments(self) -> dict[str, Any]:
        return {"teams": [self.by_id[id] for id in self.cleaned_data["teams"]]}


def choices(form: forms.Form, name: str, pairs: list[tuple[str, str]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = pairs


class RetryForm(ActForm):
    reason = ReasonField("What was fixed, for the audit log")


class PreviewForm(ActForm):
    view_as = forms.ChoiceField(
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
        field = self.fields["view_as"]
        assert isinstance(field, forms.ChoiceField)
        members = [(team.public_id, member_label(team)) for team in task.teams.order_by("name")]
        field.choices = [*VIEWER_LABELS.items(), *members]
