"""The form of a part of the settings: what it shows, what was filled in, and where problems belong.

In: the task's description and the part. Out: the arguments of `edit_task`. After a refusal it carries what
the page shows: problems at their fields, what to confirm, or what another organiser has changed meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.http import QueryDict

from sharedtask.competition.acts import ActForm, ReasonField
from sharedtask.folders.editing.description import Values
from sharedtask.folders.editing.edit_task import (
    EditedMeanwhile,
    FieldProblem,
    InvalidEdit,
    NeedsConfirmation,
    digest,
)
from sharedtask.folders.editing.parts import Part, normal


class EditForm(ActForm):
    part: Part
    version = forms.CharField(widget=forms.HiddenInput, required=False)
    confirmed = forms.CharField(widget=forms.HiddenInput, required=False)
    """A box on the page, once there is something to confirm."""
    reason = ReasonField()

    def __init__(self, *args: Any, values: Values, part: Part, **kwargs: Any) -> None:
        self.part = part
        self.current = part.read(values)
        kwargs["initial"] = self.initial_values(self.current) | {"version": digest(self.current)}
        super().__init__(*args, **kwargs)
        self.sentences: Sequence[str] = ()
        self.digest = ""
        self.meanwhile: list[tuple[str, str]] = []
        self.add_fields(values)
        self.fields["reason"] = self.fields.pop("reason")

    def initial_values(self, current: dict[str, Any]) -> dict[str, Any]:
        return {name: without_microseconds(value) for name, value in current.items()}

    def add_fields(self, values: Values) -> None:
        """Fields that depend on the task."""

    def filled_in(self) -> dict[str, Any]:
        names = set(self.fields) - {"version", "confirmed", "reason"}
        return {name: value for name, value in self.cleaned_data.items() if name in names}

    def field_name(self, path: str) -> str:
        """The name in this form of a field of the part."""
        return path

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "filled_in": self.filled_in(),
            **{name: self.cleaned_data[name] for name in ("version", "confirmed", "reason")},
        }

    def explain(self, values: Values) -> None:
        """Prepare what the page shows about the refusal; `values` are those of the task now."""
        if isinstance(self.refusal, InvalidEdit):
            for problem in self.refusal.problems:
                self.add_problem(problem)
        elif isinstance(self.refusal, NeedsConfirmation):
            self.sentences, self.digest = self.refusal.sentences, self.refusal.digest
        elif isinstance(self.refusal, EditedMeanwhile):
            now = self.part.read(values)
            self.meanwhile = list(self.differences(now))
            assert isinstance(self.data, QueryDict)
            data = self.data.copy()
            data["version"] = digest(now)
            self.data = data

    def add_problem(self, problem: FieldProblem) -> None:
        name = self.field_name(problem.field)
        sentence = self.with_labels(problem.message)
        if name in self.fields:
            self.add_error(name, as_sentence(sentence))
        else:
            place = problem.place or ("" if "." in problem.field else problem.field.replace("_", " "))
            self.add_error(None, as_sentence(f"{place}: {sentence}" if place else sentence))

    def with_labels(self, message: str) -> str:
        """Messages name fields and choices as task.yaml does; a reader of the form knows their labels."""
        for name, field in self.fields.items():
            if "_" in name:
                message = re.sub(rf"\b{re.escape(name)}\b", f"“{field.label}”", message)
            if isinstance(field, forms.ChoiceField):
                choices: Any = field.choices
                for value, label in choices:
                    message = message.replace(f"`{value}`", f"“{label}”")
        return message

    def differences(self, now: dict[str, Any]) -> list[tuple[str, str]]:
        """Labels and present values of fields in which the site differs from what was filled in."""
        filled_in = self.filled_in()
        return [
            (str(self.fields[name].label), format_value(value))
            for name, value in now.items()
            if name in self.fields and normal(value) != normal(filled_in.get(name))
        ]


def without_microseconds(value: Any) -> Any:
    return value.replace(microsecond=0) if isinstance(value, datetime) else value


def as_sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."


def format_value(value: Any) -> str:
    if value is None or value in ("", []):
        return "nothing"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
