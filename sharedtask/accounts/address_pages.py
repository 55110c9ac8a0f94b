"""The only page about signing in that is not allauth's."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def without_address(request: HttpRequest) -> HttpResponse:
    """Shown at sign-in for an account without an e-mail address, with instructions to add one."""
    return render(request, "account/without_address.html")
