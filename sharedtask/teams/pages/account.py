"""The account page, and deleting the account."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask.accounts.current_user import current_user
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.teams.delete_account import delete_account
from sharedtask.teams.models import Membership


@login_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    user = current_user(request)
    return render(
        request,
        "account/overview.html",
        {
            "addresses": EmailAddress.objects.filter(user=user).order_by("-primary", "email"),
            "has_codes": Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists(),
            "token_count": user.access_tokens.usable(at=clock.database_now()).count(),
            "memberships": Membership.objects.filter(user=user).select_related("team", "task"),
        },
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required
def delete(request: HttpRequest) -> HttpResponse:
    user = current_user(request)
    if request.method != "POST":
        return render(request, "account/delete.html")
    try:
        delete_account(user=user, at=clock.database_now())
    except Refusal as refusal:
        return render(request, "account/delete.html", {"refusal": refusal}, status=400)
    logout(request)
    return render(request, "account/deleted.html")
