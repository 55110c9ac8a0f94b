"""Signing in a program, as in RFC 8628; a person confirms its code on a page of the site."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router, Schema, Status
from pydantic import Field

from sharedtask.accounts import device_login
from sharedtask.accounts.models import Scope
from sharedtask.api.viewing import absolute
from sharedtask.core import clock

router = Router()


class DeviceAuthorizationIn(Schema):
    client_name: str = Field("a program", max_length=80, description="Shown to the person who confirms.")
    scopes: list[Scope] = Field([Scope.READ, Scope.SUBMIT], max_length=3)


class DeviceAuthorizationOut(Schema):
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    interval: int = Field(description="Seconds to wait between two requests for the token.")
    expires_in: int = Field(description="In seconds.")


class DeviceCodeIn(Schema):
    device_code: str = Field(max_length=100)


class NewTokenOut(Schema):
    token: str
    name: str
    scopes: list[Scope]
    expires_at: datetime


@router.post(
    "/device-authorizations",
    response={201: DeviceAuthorizationOut},
    auth=None,
    summary="Request a code that a person confirms",
)
def begin_device_authorization(
    request: HttpRequest, response: HttpResponse, body: DeviceAuthorizationIn
) -> Status[Any]:
    response["Cache-Control"] = "no-store"
    at = clock.database_now()
    new = device_login.begin(client_name=body.client_name, scopes=body.scopes, at=at)
    code, page = new.authorization.user_code, absolute(reverse("account-device"))
    return Status(
        201,
        {
            "device_code": new.device_code,
            "user_code": code,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?{urlencode({'code': code})}",
            "interval": int(device_login.INTERVAL.total_seconds()),
            "expires_in": int(device_login.LIFETIME.total_seconds()),
        },
    )


@router.post(
    "/device-authorizations/token",
    response=NewTokenOut,
    auth=None,
    summary="The token, once the code is confirmed",
)
def poll_device_authorization(
    request: HttpRequest, response: HttpResponse, body: DeviceCodeIn
) -> dict[str, Any]:
    """Until then a problem with the id `authorization-pending`, `slow-down`, `expired` or `denied`."""
    # The token must not be stored with the answer.
    response["Cache-Control"] = "no-store"
    new = device_login.poll(body.device_code, at=clock.database_now())
    return {
        "token": new.secret,
        "name": new.token.name,
        "scopes": new.token.scopes,
        "expires_at": new.token.expires_at,
    }
