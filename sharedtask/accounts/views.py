"""The one page about signing in that is not allauth's."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def without_address(request: HttpRequest) -> HttpResponse:
    """Where signing in ends for an account that nobody could confirm; it says how to give it an address."""
    return render(request, "account/without_address.html")
