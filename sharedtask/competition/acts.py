"""How organisers act: a form is filled in, a verb is called, and the answer is the same everywhere.

In: the request, the filled-in form, and the verb: a keyword-only function that takes who acts (`by`) and the
form's values, decides, and writes the audit log in its own transaction (`audit.write` insists on that). Out:
`Done` with what the verb returned, or None. After a refusal the page that has the form is shown again with
status 409, with the refusal at its top and everything that the organiser had filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from sharedtask.accounts.signed_in import signed_in
from sharedtask.competition import reasons
from sharedtask.core.errors import Refusal

REFUSED = 409
Result = TypeVar("Result")


class TextField(forms.CharField):
    """A line of text. A request can carry a NUL, which no database takes and nobody typed: it is dropped."""

    def clean(self, value: Any) -> Any:
        return super().clean(value.replace("\0", "") if isinstance(value, str) else value)


class ReasonField(TextField):
    """Why an organiser acts, for the log."""

    def __init__(self, label: str = "Reason", *, required: bool = True, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"required": reasons.MISSING})
        super().__init__(label=label, required=required, max_length=reasons.LONGEST, **kwargs)


class UTCTimeField(forms.DateTimeField):
    """A time as browsers send it, without a zone; the page says that it is UTC."""

    def __init__(self, label: str, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": "Please give a time such as 2026-05-01T12:00."})
        widget = forms.DateTimeInput(
            attrs={"type": "datetime-local", "step": "1"}, format="%Y-%m-%dT%H:%M:%S"
        )
        super().__init__(label=label, widget=widget, **kwargs)


class ActForm(forms.Form):
    """A form of an organisers' page. Its fields are called as the verb calls its arguments.

    A page may have several forms, and one per row of a table: `key` tells them apart, and begins the ids of
    the form's fields.
    """

    def __init__(self, *args: Any, key: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", f"{key}-%s" if key else "%s")
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.key = key
        self.refusal: Refusal | None = None

    @classmethod
    def offered(cls, key: str, refused: ActForm | None, **kwargs: Any) -> ActForm:
        """The form as a page offers it: empty, or as it was filled in and refused."""
        if refused is not None and isinstance(refused, cls) and refused.key == key:
            return refused
        return cls(key=key, **kwargs)

    @property
    def arguments(self) -> dict[str, Any]:
        """For the verb. A form whose fields are not its arguments says here what is."""
        return self.cleaned_data

    @property
    def problems(self) -> list[str]:
        """Why it was refused, in sentences."""
        found = [str(error) for errors in self.errors.values() for error in errors]
        return list(dict.fromkeys([*found, self.refusal.message] if self.refusal else found))


class ReasonForm(ActForm):
    """An act that needs nothing but its reason."""

    reason = ReasonField()

    def __init__(self, *args: Any, reason_label: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if reason_label:
            self.fields["reason"].label = reason_label


@dataclass(frozen=True)
class Done(Generic[Result]):
    result: Result


def act(
    request: HttpRequest,
    form: ActForm,
    verb: Callable[..., Result],
    *,
    done: str | Callable[[Result], str] = "",
) -> Done[Result] | None:
    """Call the verb if the form is complete; `done` is what the organiser reads on the next page."""
    if not form.is_valid():
        return None
    try:
        result = verb(by=signed_in(request), **form.arguments)
    except Refusal as refusal:
        form.refusal = refusal
        return None
    if sentence := done if isinstance(done, str) else done(result):
        messages.success(request, sentence)
    return Done(result)


def show(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    refused: ActForm | None = None,
    status: int = REFUSED,
) -> HttpResponse:
    """The page of an act. `refused` is the form that could not be done, if there is one."""
    whole = {**context, "refused": refused}
    return render(request, template, whole, status=status if refused is not None else 200)


def tell_refusal(request: HttpRequest, form: ActForm) -> None:
    """For an act that is one button, on a page above the package that does it: nothing was filled in."""
    for problem in form.problems:
        messages.error(request, problem)
