"""Form fields from the table of task.yaml's fields, so that lengths, choices and limits are defined once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from sharedtask.competition.acts import TextField, UTCTimeField
from sharedtask.folders.editing.parts import unify_line_ends
from sharedtask.folders.fields import FieldSpec

WHOLE_NUMBER = "Please enter a whole number."


class LongTextField(TextField):
    """A text of several lines."""

    def __init__(self, *, rows: int = 8, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": rows}), **kwargs)

    def clean(self, value: Any) -> Any:
        return unify_line_ends(super().clean(value))


def form_field(
    fields: Sequence[FieldSpec],
    name: str,
    label: str,
    *,
    help_text: str = "",
    rows: int = 8,
    choices: Sequence[tuple[str, str]] = (),
    **kwargs: Any,
) -> forms.Field:
    """`choices`: labels of the choices of the field, or the choices of a list of names."""
    spec = next(field for field in fields if field.name == name)
    options: dict[str, Any] = {"label": label, "help_text": help_text, "required": spec.required, **kwargs}
    if options["required"]:
        options["error_messages"] = {"required": f"Please fill in “{label}”."}
    if spec.kind == "text":
        return LongTextField(rows=rows, **options)
    if spec.kind == "moment":
        options.pop("error_messages", None)
        return UTCTimeField(options.pop("label"), **options)
    if spec.kind == "number":
        messages = options.get("error_messages", {}) | {"invalid": WHOLE_NUMBER}
        return forms.IntegerField(min_value=spec.least, **(options | {"error_messages": messages}))
    if spec.kind == "flag":
        return forms.BooleanField(**(options | {"required": False}))
    if spec.kind == "choice":
        labels = dict(choices)
        return forms.ChoiceField(
            choices=[(choice, labels.get(choice, choice)) for choice in spec.choices], **options
        )
    if spec.kind == "names":
        return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **options)
    return TextField(max_length=spec.longest, **options)
