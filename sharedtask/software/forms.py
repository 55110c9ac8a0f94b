"""Forms about software: start an execution, grant resources, release a log, run an earlier system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from sharedtask.competition.acts import ActForm, ReasonField, ReasonForm, TextField, set_choices
from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import track_codes, track_title
from sharedtask.software.models import SystemVersion
from sharedtask.teams.models import Team

MAX_MINUTES = 24 * 60
WHOLE_NUMBER = {"invalid": "Please enter a whole number."}


def title_of(version: SystemVersion) -> str:
    """For organisers: systems of several teams may have the same name."""
    return f"{version.system.team.name}: {version.system.name}, version {version.number}"


class StartForm(ActForm):
    """A version and a phase; the score is optional."""

    version = forms.ChoiceField(label="Version")
    phase = forms.ChoiceField(label="Phase")
    declared_score = forms.FloatField(
        label="Expected score",
        required=False,
        min_value=0,
        max_value=100,
        help_text="Of the first main metric, × 100. If a dry run differs from it, an alarm is raised.",
    )

    def __init__(
        self, *args: Any, versions: Sequence[SystemVersion], phases: Sequence[Phase], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.versions = {version.public_id: version for version in versions}
        # In a task with tracks, a phase is chosen together with a track.
        self.phases = {
            "/".join(filter(None, (phase.code, track))): (phase, track)
            for phase in phases
            for track in track_codes(phase)
        }
        set_choices(self, "version", [(id, self.label_of(row)) for id, row in self.versions.items()])
        titles = [
            (key, ", ".join(filter(None, (phase.title, track_title(phase.task, track)))))
            for key, (phase, track) in self.phases.items()
        ]
        set_choices(self, "phase", titles)

    def label_of(self, version: SystemVersion) -> str:
        return f"{version.system.name}, version {version.number}"

    @property
    def arguments(self) -> dict[str, Any]:
        score = self.cleaned_data.get("declared_score")
        phase, track = self.phases[self.cleaned_data["phase"]]
        return {
            "version": self.versions[self.cleaned_data["version"]],
            "phase": phase,
            "track": track,
            "declared_score": None if score is None else score / 100,
            **({"reason": self.cleaned_data["reason"]} if "reason" in self.fields else {}),
        }


class StartForTeamForm(StartForm):
    reason = ReasonField()

    def label_of(self, version: SystemVersion) -> str:
        return title_of(version)


class ResourcesForm(ActForm):
    team = forms.ChoiceField(label="Team")
    cpus = forms.IntegerField(
        label="Processors", required=False, min_value=1, max_value=64, error_messages=WHOLE_NUMBER
    )
    memory_megabytes = forms.IntegerField(
        label="Memory in MiB", required=False, min_value=64, max_value=2**20, error_messages=WHOLE_NUMBER
    )
    minutes = forms.IntegerField(
        label="Minutes", required=False, min_value=1, max_value=MAX_MINUTES, error_messages=WHOLE_NUMBER
    )
    reason = ReasonField()

    def __init__(self, *args: Any, teams: Sequence[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.teams = {team.public_id: team for team in teams}
        set_choices(self, "team", [(id, team.name) for id, team in self.teams.items()])

    @property
    def arguments(self) -> dict[str, Any]:
        return self.cleaned_data | {"team": self.teams[self.cleaned_data["team"]]}


class ReleaseLogForm(ReasonForm):
    text = TextField(label="Text for the team", widget=forms.Textarea(attrs={"rows": 12}), strip=False)
    field_order = ("text", "reason")


class EarlierSystemForm(ReasonForm):
    version = forms.ChoiceField(label="System of an earlier task")
    field_order = ("version", "reason")

    def __init__(self, *args: Any, versions: Sequence[SystemVersion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.versions = {version.public_id: version for version in versions}
        labels = [
            (id, f"{title_of(row)} ({row.system.team.task.title})") for id, row in self.versions.items()
        ]
        set_choices(self, "version", labels)

    @property
    def arguments(self) -> dict[str, Any]:
        return self.cleaned_data | {"version": self.versions[self.cleaned_data["version"]]}
