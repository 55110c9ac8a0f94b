"""A client of the API for tests: Django's test client with a token."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from sharedtask.accounts import tokens
from sharedtask.accounts.models import User
from sharedtask.core import clock

ROOT = "/api/v1"
SCOPES = ("read", "submit", "organise")


def secret_of(user: User, scopes: Collection[str] = ("read", "submit")) -> str:
    at = clock.database_now()
    new = tokens.create_token(user=user, name="test", scopes=scopes, days=30, at=at)
    # As if it had just been used, so that reading writes nothing.
    type(new.token).objects.filter(pk=new.token.pk).update(last_used_at=at)
    return new.secret


class Caller:
    """Without a user: a visitor."""

    def __init__(self, user: User | None = None, scopes: Collection[str] = ("read", "submit")) -> None:
        self.client = Client()
        self.headers = {"Authorization": f"Bearer {secret_of(user, scopes)}"} if user else {}

    def get(self, path: str, *, status: int = 200, **query: Any) -> Any:
        return self.answer(self.client.get(ROOT + path, query, headers=self.headers), status)

    def send(self, method: str, path: str, body: Any = None, *, status: int = 200, key: str = "") -> Any:
        response = self.client.generic(
            method,
            ROOT + path,
            b"" if body is None else json.dumps(body).encode(),
            "application/json",
            headers=self.with_key(key),
        )
        return self.answer(response, status)

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        return self.send("POST", path, body, **options)

    def upload(
        self,
        path: str,
        content: bytes,
        *,
        status: int = 201,
        key: str = "",
        name: str = "run.zip",
        **fields: str,
    ) -> Any:
        file = SimpleUploadedFile(name, content)
        response = self.client.post(ROOT + path, {**fields, "file": file}, headers=self.with_key(key))
        return self.answer(response, status)

    def with_key(self, key: str) -> dict[str, str]:
        return self.headers | ({"Idempotency-Key": key} if key else {})

    def answer(self, response: Any, status: int) -> Any:
        self.response = response
        assert response.status_code == status, (response.status_code, response.content)
        if status >= 400:
            assert response["Content-Type"] == "application/problem+json"
        return response.json() if response.content else None
