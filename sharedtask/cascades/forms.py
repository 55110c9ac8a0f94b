"""The form that starts an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, set_choices
from sharedtask.competition.models import TestSet
from sharedtask.software.models import SystemVersion


class StartExperimentForm(ActForm):
    version = forms.ChoiceField(label="System")
    test_sets = forms.MultipleChoiceField(
        label="Test sets",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Please choose at least one test set."},
    )

    def __init__(
        self,
        *args: Any,
        versions: Sequence[SystemVersion],
        test_sets: Sequence[TestSet],
        with_reason: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.versions = {version.public_id: version for version in versions}
        self.sets = {test_set.code: test_set for test_set in test_sets}
        labels = [
            (
                id,
                f"{version.system.team.name}: {version.system.name}, version {version.number}"
                if with_reason
                else f"{version.system.name}, version {version.number}",
            )
            for id, version in self.versions.items()
        ]
        set_choices(self, "version", labels)
        set_choices(
            self, "test_sets", [(code, f"{code} ({row.language})") for code, row in self.sets.items()]
        )
        # All of them, so that one click is enough.
        self.fields["test_sets"].initial = list(self.sets)
        if with_reason:
            self.fields["reason"] = ReasonField()

    @property
    def arguments(self) -> dict[str, Any]:
        chosen = self.cleaned_data["test_sets"]
        return self.cleaned_data | {
            "version": self.versions[self.cleaned_data["version"]],
            "test_sets": [self.sets[code] for code in chosen],
        }
