"""Pages under “Your account”: access tokens, and the confirmation of a program that signs in."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from sharedtask.accounts import device_login, tokens
from sharedtask.accounts.adapter import TOKENS
from sharedtask.accounts.current_user import current_user
from sharedtask.accounts.models import AccessToken, Scope, User
from sharedtask.accounts.token_forms import TokenForm
from sharedtask.core import clock
from sharedtask.core.errors import Refusal


@login_required
@require_safe
def token_list(request: HttpRequest) -> HttpResponse:
    at = clock.database_now()
    rows = [(token, state_of(token, at=at)) for token in current_user(request).access_tokens.all()]
    return render(request, "account/tokens.html", {"tokens": rows})


def state_of(token: AccessToken, *, at: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at <= at else "active"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required(app=TOKENS)
def new_token(request: HttpRequest) -> HttpResponse:
    """The response to a valid form is the only one that ever contains the token."""
    if request.method != "POST":
        return render(request, "account/token_new.html", {"form": TokenForm()})
    form = TokenForm(request.POST)
    if not form.is_valid():
        return render(request, "account/token_new.html", {"form": form}, status=400)
    try:
        new = tokens.create_token(user=current_user(request), at=clock.database_now(), **form.cleaned_data)
    except Refusal as refusal:
        return render(request, "account/token_new.html", {"form": form, "refusal": refusal}, status=409)
    return render(request, "account/token_created.html", {"new": new})


@login_required
@require_POST
def revoke_token(request: HttpRequest, public_id: str) -> HttpResponse:
    token = get_object_or_404(current_user(request).access_tokens, public_id=public_id)
    tokens.revoke(token, at=clock.database_now())
    messages.success(request, f"The token “{token.name}” was revoked.")
    return redirect("account-tokens")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required(app=TOKENS)
def confirm_device(request: HttpRequest) -> HttpResponse:
    """First the code, then what the program asks for, then the decision."""
    at = clock.database_now()
    code = request.POST.get("code", request.GET.get("code", ""))[:20]
    authorization = device_login.find_waiting(code, at=at) if code else None
    context: dict[str, Any] = {"code": code, "authorization": authorization}
    if authorization is None:
        unknown = Refusal("code-unknown", "There is no such code, or it has expired.") if code else None
        status = 404 if code else 200
        return render(request, "account/device.html", {**context, "refusal": unknown}, status=status)
    context["scopes"] = [Scope(scope).label for scope in authorization.scopes]
    decision = request.POST.get("decision", "")
    if request.method != "POST" or decision not in ("approve", "deny"):
        return render(request, "account/device.html", context)
    try:
        user = current_user(request)
        device_login.decide(authorization, user=user, approve=decision == "approve", at=at)
    except Refusal as refusal:
        return render(request, "account/device.html", {**context, "refusal": refusal}, status=409)
    return render(request, "account/device_done.html", {**context, "approved": decision == "approve"})


def mention_tokens(request: HttpRequest, user: User) -> None:
    """After a new password: tokens stay valid, and whoever fears a theft should revoke them too."""
    names = [token.name for token in user.access_tokens.usable(at=clock.database_now())]
    if names:
        listed = ", ".join(f"“{name}”" for name in names)
        messages.warning(
            request,
            f"Your access tokens remain valid: {listed}. You can revoke them under “Your account”.",
        )
