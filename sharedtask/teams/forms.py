"""Forms about teams, systems and notices. They check the input; the functions they call decide."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, UTCTimeField
from sharedtask.competition.models import Phase, Task
from sharedtask.teams.models import Notice, System, Team
from sharedtask.teams.questionnaire import QUESTIONS, Question

MAX_DESCRIPTION_LENGTH = 20_000
MAX_ANSWER_LENGTH = 500
RULES_NOT_READ = "Please read and accept the current version of the rules."


class TeamForm(forms.Form):
    name = forms.CharField(label="Team name", max_length=80)
    affiliation = forms.CharField(label="Affiliation", max_length=120, required=False)
    pseudonym = forms.CharField(
        label="Pseudonym",
        max_length=80,
        required=False,
        help_text="Shown instead of the team name until the results are published.",
    )
    accepted = forms.BooleanField(label="We have read and accept the rules.")
    rules_version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        kwargs["initial"] = {"rules_version": task.rules_version}
        super().__init__(*args, **kwargs)
        if not task.pseudonymous:
            del self.fields["pseudonym"]


class TeamDetailsForm(forms.Form):
    name = forms.CharField(label="Team name", max_length=80)
    affiliation = forms.CharField(label="Affiliation", max_length=120, required=False)


class RulesForm(ActForm):
    """The version of the rules that was on the page."""

    rules_version = forms.IntegerField(error_messages={"required": RULES_NOT_READ, "invalid": RULES_NOT_READ})


class DecisionForm(ActForm):
    """An organiser's decision on the registration of a team."""

    decision = forms.ChoiceField(choices=[("confirm", "Confirm"), ("decline", "Decline")])
    reason = ReasonField("Reason (shown to the team if you decline)", required=False)


class ExtensionForm(ActForm):
    phase = forms.ChoiceField(label="Phase")
    team = forms.ChoiceField(label="For", required=False)
    closes_at = UTCTimeField("New closing time (UTC)")
    reason = ReasonField()

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.phases = {phase.code: phase for phase in task.phases.exclude(closes_at=None)}
        self.teams = {team.public_id: team for team in task.teams.all()}
        set_choices(self.fields["phase"], [(code, phase.title) for code, phase in self.phases.items()])
        team_choices = [(public_id, team.name) for public_id, team in self.teams.items()]
        set_choices(self.fields["team"], [("", "all teams"), *team_choices])

    def clean_phase(self) -> Phase:
        return self.phases[self.cleaned_data["phase"]]

    def clean_team(self) -> Team | None:
        return self.teams.get(self.cleaned_data["team"])


def set_choices(field: forms.Field, choices: list[tuple[str, str]]) -> None:
    assert isinstance(field, forms.ChoiceField)
    field.choices = choices


class MarkReadForm(forms.Form):
    """The time of the newest notice on the page, up to which notices are marked as read."""

    latest = forms.DateTimeField()


class NoticeSettingsForm(forms.Form):
    """One field per kind of notice. A kind that is left out has its default."""

    CHOICES = Notice.Channel.choices

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, label in Notice.Kind.choices:
            self.fields[kind] = forms.ChoiceField(
                label=label, choices=self.CHOICES, required=False, initial=Notice.default_channel(kind)
            )


class SystemForm(forms.Form):
    name = forms.CharField(label="System name", max_length=80)
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=MAX_DESCRIPTION_LENGTH,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown: *emphasis*, **bold**, lists, tables, [links](https://…). No HTML.",
    )
    paper_url = forms.URLField(label="Paper", required=False, assume_scheme="https", max_length=200)
    code_url = forms.URLField(label="Code", required=False, assume_scheme="https", max_length=200)

    def __init__(self, *args: Any, system: System | None = None, **kwargs: Any) -> None:
        initial: dict[str, Any] = {}
        if system is not None:
            initial = {
                name: getattr(system, name) for name in ("name", "description", "paper_url", "code_url")
            }
            initial |= {field_name(question): system.questionnaire.get(question.id) for question in QUESTIONS}
        kwargs["initial"] = initial
        super().__init__(*args, **kwargs)
        for question in QUESTIONS:
            self.fields[field_name(question)] = build_field(question)

    @property
    def arguments(self) -> dict[str, Any]:
        """For `describe.add_system` and `describe.describe`, with the answers collected by question id."""
        answers = {question.id: self.cleaned_data[field_name(question)] for question in QUESTIONS}
        values = {name: self.cleaned_data[name] for name in ("name", "description", "paper_url", "code_url")}
        return values | {"questionnaire": {id: answer for id, answer in answers.items() if answer}}


def field_name(question: Question) -> str:
    return f"about_{question.id}"


def build_field(question: Question) -> forms.Field:
    if not question.choices:
        return forms.CharField(
            label=question.label, help_text=question.help, required=False, max_length=MAX_ANSWER_LENGTH
        )
    if question.multiple:
        return forms.MultipleChoiceField(
            label=question.label,
            help_text=question.help,
            required=False,
            choices=question.choices,
            widget=forms.CheckboxSelectMultiple,
        )
    choices = [("", "not given"), *question.choices]
    return forms.ChoiceField(label=question.label, help_text=question.help, required=False, choices=choices)
