"""Organisers sign in with a second factor: until it is set up, every page redirects them to the set-up.

They see scores, gold and other teams' files even on pages that others see too. Requiring the second factor on
all pages is simpler and safer than listing the pages for organisers. Once one-time codes are set up, allauth
asks for one at every sign-in.
"""

from __future__ import annotations

from collections.abc import Callable

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from sharedtask.accounts.models import User
from sharedtask.accounts.roles import affiliations_of

# The set-up itself, with the pages it may redirect to, and signing out.
EXEMPT_PATHS = ("/account/", "/sign-in/", "/sign-out/", "/static/")


def lacks_second_factor(user: User | AnonymousUser) -> bool:
    if not settings.ORGANISERS_NEED_SECOND_FACTOR or not user.is_authenticated:
        return False
    if user.get_username() in settings.SECOND_FACTOR_EXCUSED:
        return False
    if not (user.is_staff or user.is_superuser or affiliations_of(user).organised):
        return False
    return not Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()


class SecondFactorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(EXEMPT_PATHS) and lacks_second_factor(request.user):
            return redirect("mfa_activate_totp")
        return self.get_response(request)
