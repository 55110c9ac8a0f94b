"""The forms of the settings: texts, test sets, release times and phases of a task."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms

from sharedtask.competition.acts import UTCTimeField
from sharedtask.competition.models import Phase
from sharedtask.core.clock import format_time
from sharedtask.folders.editing.description import Values
from sharedtask.folders.editing.edit_form import EditForm
from sharedtask.folders.editing.form_fields import WHOLE_NUMBER, form_field
from sharedtask.folders.fields import PHASE, TASK, TEST_SET

MARKDOWN = "Markdown."
REVEALED, RELEASED = "revealed_at", "inputs_released_at"
REVEALED_HELP = (
    "For a surprise set: before this time only organisers know that it exists. Empty: visible from the start."
)
RELEASED_HELP = (
    "Before this time nobody can download its inputs; samples are available as soon as the set is revealed. "
    "Empty: as soon as it is revealed."
)
FEEDBACK = [
    (Phase.Feedback.SCORES.value, "Scores, differences and trees"),
    (Phase.Feedback.VALIDITY.value, "Only whether each file is valid (blind)"),
]
KINDS = [
    (Phase.Kind.DEVELOPMENT.value, "Development: gold is public"),
    (Phase.Kind.TRIAL.value, "Trial: a dry run of the test"),
    (Phase.Kind.TEST.value, "Test: blind, its runs are official"),
    (Phase.Kind.POST.value, "Post-evaluation: its runs are unofficial"),
]


class TextsForm(EditForm):
    title = form_field(TASK, "title", "Title")
    summary = form_field(TASK, "summary", "Summary", help_text="One sentence for the list of tasks.")
    description = form_field(TASK, "description", "Description", help_text=MARKDOWN, rows=12)
    rules = form_field(TASK, "rules", "Rules", rows=12)
    data_licence = form_field(TASK, "data_licence", "Terms of use of the data", rows=4)
    faq = form_field(TASK, "faq", "Frequently asked questions", help_text=f"{MARKDOWN} On a page of its own.")
    citation = form_field(TASK, "citation", "How to cite the task", help_text=MARKDOWN, rows=6)
    contact = form_field(TASK, "contact", "Contact", help_text="An e-mail address, shown to everyone.")

    def add_fields(self, values: Values) -> None:
        version = values["rules_version"]
        note = f"{MARKDOWN} Rules and terms of use are version {version}; a new text of either is version "
        note += f"{version + 1}, and teams have to accept it."
        for name in ("rules", "data_licence"):
            self.fields[name].help_text = note


class TestSetForm(EditForm):
    __test__ = False  # Keeps pytest from collecting it as a test class.

    language = form_field(TEST_SET, "language", "Language", help_text="In English.")
    tag = form_field(
        TEST_SET, "tag", "Language tag", help_text="BCP 47, such as <code>de</code> or <code>pt-BR</code>."
    )
    groups = form_field(TEST_SET, "groups", "Groups")
    note = form_field(TEST_SET, "note", "Note", help_text="A few words on what to expect.")
    licence = form_field(TEST_SET, "licence", "Licence")
    revealed_at = form_field(TEST_SET, REVEALED, "Revealed (UTC)", help_text=REVEALED_HELP)
    inputs_released_at = form_field(TEST_SET, RELEASED, "Inputs released (UTC)", help_text=RELEASED_HELP)
    position = forms.IntegerField(
        label="Position in the list of test sets", min_value=1, error_messages={"invalid": WHOLE_NUMBER}
    )

    def __init__(self, *args: Any, visible: Mapping[str, str], **kwargs: Any) -> None:
        self.visible = visible
        super().__init__(*args, **kwargs)

    def add_fields(self, values: Values) -> None:
        for name, sentence in self.visible.items():
            self.fields[name].help_text += f"<br><strong>{sentence}</strong>"
        set_choices(self, "groups", [(group, group) for group in values.get("groups", [])])
        if not values.get("groups"):
            del self.fields["groups"]

    def filled_in(self) -> dict[str, Any]:
        return {"groups": []} | super().filled_in()


class ReleaseTimesForm(EditForm):
    which = forms.ChoiceField(
        label="Time",
        choices=[(RELEASED, "Inputs are released"), (REVEALED, "The test set is revealed")],
        initial=RELEASED,
        widget=forms.RadioSelect,
    )
    time = UTCTimeField(
        "New time (UTC)",
        required=False,
        help_text="Empty: inputs are released when the set is revealed, and a set is visible from the start.",
    )
    test_sets = forms.MultipleChoiceField(
        label="Test sets",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Please choose at least one test set."},
    )

    def initial_values(self, current: dict[str, Any]) -> dict[str, Any]:
        return {"which": RELEASED}

    def add_fields(self, values: Values) -> None:
        choices = [(code, f"{code}: {describe_times(times)}") for code, times in self.current.items()]
        set_choices(self, "test_sets", choices)

    def differences(self, now: dict[str, Any]) -> list[tuple[str, str]]:
        chosen = self.cleaned_data["test_sets"]
        return [(code, describe_times(times)) for code, times in now.items() if code in chosen]


class PhaseForm(EditForm):
    title = form_field(PHASE, "title", "Title")
    kind = form_field(PHASE, "kind", "Kind", choices=KINDS)
    feedback = form_field(PHASE, "feedback", "What teams see of their runs", choices=FEEDBACK)
    runs_per_day = form_field(
        PHASE, "runs_per_day", "Runs per day", help_text="Per team and UTC day. Empty: no limit."
    )
    runs_total = form_field(
        PHASE, "runs_total", "Runs in total", help_text="Per team in this phase. Empty: no limit."
    )
    software = form_field(
        PHASE, "software", "Accept software", help_text="Teams may submit an image, which the server runs."
    )
    software_runs_per_day = form_field(
        PHASE, "software_runs_per_day", "Software runs per day", help_text="Uploads are counted separately."
    )
    software_runs_total = form_field(
        PHASE, "software_runs_total", "Software runs in total", help_text="Uploads are counted separately."
    )
    test_sets = form_field(PHASE, "test_sets", "Test sets", required=True)

    def __init__(self, *args: Any, has_runs: bool = False, **kwargs: Any) -> None:
        self.has_runs = has_runs
        super().__init__(*args, **kwargs)

    def add_fields(self, values: Values) -> None:
        codes = [(entry["code"], f"{entry['code']} ({entry['language']})") for entry in values["test_sets"]]
        set_choices(self, "test_sets", codes)
        if self.has_runs:
            del self.fields["kind"]
            self.fields["test_sets"].help_text = "A test set with runs in this phase cannot be removed."


class SoftwareLimitsForm(EditForm):
    """What a container of a team may use."""

    software_cpus = form_field(TASK, "software_cpus", "Processors", required=True)
    software_memory_megabytes = form_field(
        TASK, "software_memory_megabytes", "Memory in MB", required=True, help_text="Swap is not available."
    )
    software_minutes = form_field(
        TASK, "software_minutes", "Minutes", required=True, help_text="Time limit of a container."
    )
    software_output_megabytes = form_field(
        TASK, "software_output_megabytes", "Output in MB", required=True, help_text="Of one container."
    )
    software_storage_megabytes = form_field(
        TASK, "software_storage_megabytes", "Stored images in MB", required=True, help_text="Per team."
    )
    software_experiments_per_day = form_field(
        TASK,
        "software_experiments_per_day",
        "Experiments per day",
        required=True,
        help_text="That a team may start. They run only on data with public gold. 0: organisers only.",
    )
    software_per_test_set = form_field(
        TASK,
        "software_per_test_set",
        "A container per test set",
        help_text="Instead of one container for all test sets of a phase.",
    )


class NewPhaseForm(PhaseForm):
    code = form_field(
        PHASE, "code", "Code", help_text="Its name in addresses and in the folder. It cannot be changed."
    )
    opens_at = form_field(PHASE, "opens_at", "Opens (UTC)")
    closes_at = form_field(PHASE, "closes_at", "Closes (UTC)", help_text="Empty: it stays open.")
    field_order = ("title", "code", "kind", "feedback", "opens_at", "closes_at", "runs_per_day", "runs_total")


class RemovePhaseForm(EditForm):
    """Needs a reason only."""


def describe_times(times: list[datetime | None]) -> str:
    """Of a test set: when it is revealed, and when its inputs are released."""
    revealed, released = times
    words = f"revealed {format_time(revealed)}" if revealed else "visible from the start"
    return f"{words}, inputs released {format_time(released) if released else 'with it'}"


def set_choices(form: forms.Form, name: str, choices: list[tuple[str, str]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = choices
