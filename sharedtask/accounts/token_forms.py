"""The form for a new access token."""

from __future__ import annotations

from django import forms

from sharedtask.accounts.models import Scope

DAYS = ((7, "a week"), (30, "a month"), (90, "three months"), (366, "a year"))


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name", max_length=80, help_text="Where you will use it, such as “laptop” or “nightly build”."
    )
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=Scope.choices,
        initial=[Scope.READ, Scope.SUBMIT],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(label="Expires after", choices=DAYS, coerce=int, initial=90)
