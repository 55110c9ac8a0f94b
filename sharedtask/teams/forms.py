"""What people fill in about their teams and systems. Forms check the form of it; the verbs decide."""

from __future__ import annotations

from typing import Any

from django import forms

from sharedtask.competition.models import Task
from sharedtask.teams.models import System
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
