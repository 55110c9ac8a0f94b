"""The page with the definitions of the metrics."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sharedtask.core.documents import document


@require_safe
def definitions(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/definitions.html", {"definitions": document("metrics.md")})
