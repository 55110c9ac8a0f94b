"""The reference of the API as a page, made from its OpenAPI document."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sharedtask.api.describe import describe


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "api/reference.html", {"api": describe()})
