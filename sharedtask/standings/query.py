"""What the pages of results have in common: the ranking that the address asks for, and a tidy address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from sharedtask.competition.models import Task
from sharedtask.standings.entrants import Field, OnShow, choose, field_of, on_show

PREVIEW = "preview"
"""Organisers ask with it for what holds now; it needs no value."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    shown: list[OnShow]
    """All rankings that the reader may choose from."""
    field: Field | None
    """The chosen one; None where there is none for this reader."""


def asked_for(request: HttpRequest, task: Task, *, at: datetime, code: str | None = None) -> Asked:
    """With a code, only rankings that have this test set."""
    shown = on_show(request.user, task, at=at, preview=PREVIEW in request.GET)
    if code is not None:
        shown = [one for one in shown if code in one.standing.table.get("gold", {})]
    chosen = choose(shown, phase=request.GET.get("phase"), ranking=request.GET.get("ranking"), having=())
    return Asked(shown=shown, field=field_of(request.user, chosen, at=at) if chosen else None)


def tidied(request: HttpRequest) -> HttpResponse | None:
    """A form sends what was left open as well; an address says only what somebody asked for."""
    said = request.GET.copy()
    for name in [name for name, value in request.GET.items() if not value and name != PREVIEW]:
        del said[name]
    if len(said) == len(request.GET):
        return None
    return redirect(f"{request.path}?{said.urlencode()}" if said else request.path)
