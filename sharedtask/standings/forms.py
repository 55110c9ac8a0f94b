"""The forms for publishing results, for putting corrected gold in force, and for releasing gold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, ReasonForm
from sharedtask.competition.models import TestSet
from sharedtask.standings.readiness import Readiness


class PublishForm(ActForm):
    rankings = forms.MultipleChoiceField(
        label="Rankings",
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": "Please choose at least one ranking.",
            "invalid_choice": "%(value)s cannot be published.",
        },
    )
    reason = ReasonField("Reason, for the audit log")
    note = forms.CharField(
        label="Changes since the last publication, for readers", max_length=500, required=False
    )

    def __init__(self, *args: Any, states: Iterable[Readiness], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["rankings"]
        assert isinstance(field, forms.MultipleChoiceField)
        titles = {state: state.title for state in states}
        # A form may be older than a change: publishing then refuses, and says why.
        field.choices = [(state.key, titles[state]) for state in titles if state.standing or state.obstacle]
        ready = [state for state in titles if state.standing]
        field.widget.choices = [(state.key, titles[state]) for state in ready]
        field.initial = [state.key for state in ready if state.is_default]


class MultipleValuesField(forms.Field):
    """All values of a name that occurs more than once in a form."""

    widget = forms.MultipleHiddenInput


class PutInForceForm(ReasonForm):
    """`compared` has one `code:number` for each version whose scores the organiser has seen."""

    compared = MultipleValuesField(required=False)

    def clean_compared(self) -> dict[str, int]:
        versions = {}
        for value in self.cleaned_data["compared"] or []:
            code, _, number = value.rpartition(":")
            versions[code] = int(number) if number.isascii() and number.isdecimal() else 0
        return versions


class PutProfileInForceForm(ReasonForm):
    """`compared` is the version whose scores the organiser has seen."""

    compared = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)


class CorrectGoldForm(ActForm):
    """The file itself is streamed and not part of the form."""

    code = forms.ChoiceField(
        label="Test set", error_messages={"invalid_choice": "%(value)s has no gold to correct."}
    )
    reason = ReasonField("What was corrected (for organisers, and for readers after the release)")

    def __init__(self, *args: Any, test_sets: Iterable[TestSet], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["code"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(test_set.code, f"{test_set.code} {test_set.language}") for test_set in test_sets]


class ReleaseGoldForm(ActForm):
    everything = forms.BooleanField(label="All test sets", required=False)
    code = forms.MultipleChoiceField(
        label="Or only these",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "%(value)s has no gold to release."},
    )
    reason = ReasonField()

    def __init__(self, *args: Any, test_sets: Iterable[TestSet], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(test_set.code, f"{test_set.code} {test_set.language}") for test_set in test_sets]
        field = self.fields["code"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = choices

    @property
    def arguments(self) -> dict[str, Any]:
        every, chosen = self.cleaned_data["everything"], self.cleaned_data["code"]
        return {"codes": None if every else chosen, "reason": self.cleaned_data["reason"]}
