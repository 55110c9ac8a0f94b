"""How organisers act: a form is submitted, a function is called, and the response is the same everywhere.

In: the request, the submitted form, and a keyword-only function that takes the organiser (`by`) and the
form's values, decides, and writes the audit log in its own transaction (`audit.write` requires one). Out:
`ActResult` with what the function returned, or None. After a refusal the page with the form is shown again
with status 409, with the refusal at the top and everything that the organiser had filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from sharedtask.accounts.current_user import current_user
from sharedtask.competition import reasons
from sharedtask.core.errors import Refusal

REFUSED = 409
Value = TypeVar("Value")


class TextField(forms.CharField):
    """A line of text. A NUL character, which no database accepts, is dropped."""

    def clean(self, value: Any) -> Any:
        return super().clean(value.replace("\0", "") if isinstance(value, str) else value)


class ReasonField(TextField):
    """The reason for an act, for the audit log."""

    def __init__(self, label: str = "Reason", *, required: bool = True, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"required": reasons.MISSING})
        super().__init__(label=label, required=required, max_length=reasons.MAX_LENGTH, **kwargs)


class UTCTimeField(forms.DateTimeField):
    """A time without a zone, as browsers send it; the page labels it as UTC."""

    def __init__(self, label: str, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": "Please enter a time such as 2026-05-01T12:00."})
        widget = forms.DateTimeInput(
            attrs={"type": "datetime-local", "step": "1"}, format="%Y-%m-%dT%H:%M:%S"
        )
        super().__init__(label=label, widget=widget, **kwargs)


class ActForm(forms.Form):
    """A form on a page for organisers. Its fields are named like the arguments of the function it is for.

    A page may have several forms, for example one per row of a table: `key` identifies the form and is the
    prefix of the ids of its fields.
    """

    def __init__(self, *args: Any, key: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", f"{key}-%s" if key else "%s")
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.key = key
        self.refusal: Refusal | None = None

    @classmethod
    def refused_or_new(cls, key: str, refused: ActForm | None, **kwargs: Any) -> ActForm:
        """The refused form, if it is this one, with what was filled in; otherwise a new form."""
        if refused is not None and isinstance(refused, cls) and refused.key == key:
            return refused
        return cls(key=key, **kwargs)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments for the function. Override it where they differ from the fields."""
        return self.cleaned_data

    @property
    def problems(self) -> list[str]:
        """Why it was refused, in sentences, without repetitions."""
        sentences = [str(error) for errors in self.errors.values() for error in errors]
        if self.refusal:
            sentences.append(self.refusal.message)
        return list(dict.fromkeys(sentences))


class ReasonForm(ActForm):
    """An act that needs only a reason."""

    reason = ReasonField()

    def __init__(self, *args: Any, reason_label: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if reason_label:
            self.fields["reason"].label = reason_label


def set_choices(form: forms.Form, name: str, choices: Sequence[tuple[str, str]]) -> None:
    """The choices of a field that depend on rows."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = choices


@dataclass(frozen=True)
class ActResult(Generic[Value]):
    value: Value


def act(
    request: HttpRequest,
    form: ActForm,
    function: Callable[..., Value],
    *,
    done: str | Callable[[Value], str] = "",
) -> ActResult[Value] | None:
    """Call the function if the form is valid. `done` is the message on the next page."""
    if not form.is_valid():
        return None
    try:
        value = function(by=current_user(request), **form.arguments)
    except Refusal as refusal:
        form.refusal = refusal
        return None
    if sentence := done if isinstance(done, str) else done(value):
        messages.success(request, sentence)
    return ActResult(value)


def render_act_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    refused: ActForm | None = None,
    status: int = REFUSED,
) -> HttpResponse:
    """Render the page of an act. `refused` is the form that was refused, if any."""
    return render(
        request, template, {**context, "refused": refused}, status=status if refused is not None else 200
    )


def flash_refusal(request: HttpRequest, form: ActForm) -> None:
    """For an act that is a single button, on a page of a higher package: no input has to be kept."""
    for problem in form.problems:
        messages.error(request, problem)
