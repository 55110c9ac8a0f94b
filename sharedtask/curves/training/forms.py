"""Forms of trainings: request one, by a team or by an organiser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django import forms

from evaluation.curves.samples import MAX_SAMPLES
from sharedtask.competition.acts import ActForm, ReasonField, TextField, set_choices
from sharedtask.competition.models import Phase
from sharedtask.software.models import SystemVersion

USUAL_SIZES = (5, 10, 20, 50, 100, 200, 500)
"""Those of Aufrant et al. (2018)."""
MAX_SIZE_DIGITS = 8


class TrainingForm(ActForm):
    version = forms.ChoiceField(label="Version")
    phase = forms.ChoiceField(label="Phase")
    sizes = TextField(
        label="Sizes",
        initial=", ".join(map(str, USUAL_SIZES)),
        help_text="At least three numbers of training sentences, in increasing order.",
    )
    samples = forms.IntegerField(
        label="Samples of each size",
        initial=3,
        min_value=1,
        max_value=MAX_SAMPLES,
        help_text="Each sample of each size is run in a container of its own.",
    )

    def __init__(
        self, *args: Any, versions: Sequence[SystemVersion], phases: Sequence[Phase], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.versions = {version.public_id: version for version in versions}
        self.phases = {phase.code: phase for phase in phases}
        labels = [(id, f"{row.system.name}, version {row.number}") for id, row in self.versions.items()]
        set_choices(self, "version", labels)
        set_choices(self, "phase", [(code, phase.title) for code, phase in self.phases.items()])

    def clean_sizes(self) -> list[int]:
        words = re.split(r"[\s,;]+", self.cleaned_data["sizes"].strip(" ,;"))
        if not all(word.isascii() and word.isdigit() and len(word) <= MAX_SIZE_DIGITS for word in words):
            raise forms.ValidationError("Please enter whole numbers separated by commas, such as 5, 10, 20.")
        return [int(word) for word in words]

    @property
    def arguments(self) -> dict[str, Any]:
        return self.cleaned_data | {
            "version": self.versions[self.cleaned_data["version"]],
            "phase": self.phases[self.cleaned_data["phase"]],
        }


class TrainingForTeamForm(TrainingForm):
    reason = ReasonField()
