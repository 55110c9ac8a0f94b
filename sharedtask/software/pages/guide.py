"""The contract with software as a page, from `docs/software.md`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sharedtask.core.documents import document
from sharedtask.software.availability import unavailable_sentence


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    context = {"text": document("software.md"), "unavailable": unavailable_sentence()}
    return render(request, "software/guide.html", context)
