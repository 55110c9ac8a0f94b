"""What people fill in about their teams, systems and notices. Forms check what was written; verbs decide."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, UTCTimeField
from sharedtask.competition.models import Phase, Task
from sharedtask.teams.models import Notice, System, Team
from sharedtask.teams.questionnaire import QUESTIONS, Question

LONGEST_DESCRIPTION = 20_000
LONGEST_ANSWER = 500


class TeamForm(forms.Form):
    name = forms.CharField(label="Name of the team", max_length=80)
    affiliation = forms.CharField(label="Affiliation", max_length=120, required=False)
    pseudonym = forms.CharField(
        label="Pseudonym",
        max_length=80,
        required=False,
        help_text="Shown instead of the team's name until the results are published.",
    )
    accepted = forms.BooleanField(label="We have read the rules and accept them.")
    rules_version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        kwargs["initial"] = {"rules_version": task.rules_version}
        super().__init__(*args, **kwargs)
        if not task.pseudonymous:
            del self.fields["pseudonym"]


class RulesForm(forms.Form):
    """The version of the rules that the reader had before them."""

    rules_version = forms.IntegerField(min_value=1)


class DecisionForm(ActForm):
    """An organiser's, about the registration of a team."""

    decision = forms.ChoiceField(choices=[("confirm", "Confirm"), ("decline", "Decline")])
    reason = ReasonField("Reason; the team reads it when you decline", required=False)


class ExtensionForm(ActForm):
    phase = forms.ChoiceField(label="Phase")
    team = forms.ChoiceField(label="For", required=False)
    closes_at = UTCTimeField("New closing time, in UTC")
    reason = ReasonField()

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.phases = {phase.code: phase for phase in task.phases.exclude(closes_at=None)}
        self.teams = {team.public_id: team for team in task.teams.all()}
        choose(self.fields["phase"], [(code, phase.title) for code, phase in self.phases.items()])
        named = [(public_id, team.name) for public_id, team in self.teams.items()]
        choose(self.fields["team"], [("", "all teams"), *named])

    def clean_phase(self) -> Phase:
        return self.phases[self.cleaned_data["phase"]]

    def clean_team(self) -> Team | None:
        return self.teams.get(self.cleaned_data["team"])


def choose(field: forms.Field, choices: list[tuple[str, str]]) -> None:
    """Give a field of choices what can be chosen now."""
    assert isinstance(field, forms.ChoiceField)
    field.choices = choices


class NoticesSeenForm(forms.Form):
    """Until when the reader has seen what there was."""

    latest = forms.DateTimeField()


class NoticeChoicesForm(forms.Form):
    """One field per kind of notice; what is left out is told on both ways."""

    BOTH, SITE, NEITHER = "both", "site", "neither"
    CHOICES = ((BOTH, "site and e-mail"), (SITE, "site only"), (NEITHER, "not at all"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, about in Notice.Kind.choices:
            self.fields[kind] = forms.ChoiceField(
                label=about, choices=self.CHOICES, required=False, initial=self.BOTH
            )


class SystemForm(forms.Form):
    name = forms.CharField(label="Name of the system", max_length=80)
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=LONGEST_DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown: *emphasis*, **weight**, lists, tables, [links](https://…). No HTML.",
    )
    paper_url = forms.URLField(label="Paper", required=False, assume_scheme="https", max_length=200)
    code_url = forms.URLField(label="Code", required=False, assume_scheme="https", max_length=200)

    def __init__(self, *args: Any, system: System | None = None, **kwargs: Any) -> None:
        initial: dict[str, Any] = {}
        if system is not None:
            initial = {
                name: getattr(system, name) for name in ("name", "description", "paper_url", "code_url")
            }
            initial |= {prefixed(question): system.questionnaire.get(question.id) for question in QUESTIONS}
        kwargs["initial"] = initial
        super().__init__(*args, **kwargs)
        for question in QUESTIONS:
            self.fields[prefixed(question)] = field_of(question)

    @property
    def told(self) -> dict[str, Any]:
        """For the verbs: what was filled in, with the answers gathered by question."""
        answers = {question.id: self.cleaned_data[prefixed(question)] for question in QUESTIONS}
        plain = {name: self.cleaned_data[name] for name in ("name", "description", "paper_url", "code_url")}
        return plain | {"questionnaire": {id: answer for id, answer in answers.items() if answer}}


def prefixed(question: Question) -> str:
    return f"about_{question.id}"


def field_of(question: Question) -> forms.Field:
    if not question.choices:
        return forms.CharField(
            label=question.label, help_text=question.help, required=False, max_length=LONGEST_ANSWER
        )
    if question.several:
        return forms.MultipleChoiceField(
            label=question.label,
            help_text=question.help,
            required=False,
            choices=question.choices,
            widget=forms.CheckboxSelectMultiple,
        )
    choices = [("", "not said"), *question.choices]
    return forms.ChoiceField(label=question.label, help_text=question.help, required=False, choices=choices)
