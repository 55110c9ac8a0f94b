"""A visitor of a running server, who keeps cookies, sends a form's token back, and can sign in."""

from __future__ import annotations

import http.client
import re
from collections.abc import Mapping
from contextlib import closing
from urllib.parse import urlencode, urlsplit

from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.machinery.site import manage
from tests.sharedtask.support.people import PASSWORD

FORM = "application/x-www-form-urlencoded"
PERSON = """
from tests.sharedtask.support.people import person
from sharedtask.accounts.models import User
User.objects.filter(username={name!r}).exists() or person({name!r})
"""


def make_person(environment: Mapping[str, str], name: str = "ash") -> None:
    manage("shell", "-c", PERSON.format(name=name), environment=environment)


class Upload:
    """Something that `encode_multipart` takes for a file."""

    content_type = "application/octet-stream"

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self.content = name, content

    def read(self) -> bytes:
        return self.content


class Visit:
    """One browser's worth of cookies. `page` is the text of the last answer, `headers` are its headers."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.cookies: dict[str, str] = {}
        self.status, self.page, self.body = 0, "", b""
        self.headers: list[tuple[str, str]] = []

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = FORM, **headers: str) -> int:
        sent = {"Content-Type": kind} if method == "POST" else {}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with closing(http.client.HTTPConnection(self.host, timeout=120)) as connection:
            connection.request(method, path, body=body or None, headers=sent | headers)
            with closing(connection.getresponse()) as response:
                self.status, self.headers = response.status, response.getheaders()
                self.body = response.read()
        self.page = self.body.decode(errors="replace")
        for name, value in self.headers:
            if name == "Set-Cookie" and (match := re.match(r"(\w+)=([^;]*)", value)):
                self.cookies[match[1]] = match[2]
        return self.status

    def get(self, path: str, **headers: str) -> str:
        self.ask("GET", path, **headers)
        return self.page

    @property
    def location(self) -> str:
        return dict(self.headers).get("Location", "")

    def token(self) -> str:
        match = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.page)
        return match[1] if match else self.cookies.get("csrftoken", "")

    def post(self, path: str, form: Mapping[str, str] | None = None, *, to: str = "") -> int:
        """Read the page with the form, then send the form back, as a browser does; `to` where it goes."""
        self.get(path)
        values = {"csrfmiddlewaretoken": self.token(), **(form or {})}
        return self.ask("POST", to or path, urlencode(values).encode())

    def upload(self, path: str, archive: bytes, *, name: str = "run.zip", **form: str) -> int:
        return self.send(path, **form, archive=Upload(name, archive))

    def send(self, path: str, **form: str | Upload) -> int:
        """A form with files in it."""
        self.get(path)
        return self.send_form(path, self.token(), **form)

    def send_form(self, path: str, token: str, **form: str | Upload) -> int:
        """With a token from before, so that many can be sent at once."""
        values = {"csrfmiddlewaretoken": token, **form}
        return self.ask("POST", path, encode_multipart(BOUNDARY, values), MULTIPART_CONTENT)

    def sign_in(self, name: str, password: str = PASSWORD) -> tuple[int, str]:
        self.post("/sign-in/", {"login": name, "password": password})
        return self.status, self.location
