"""A hundred uploads at once through the real server on SQLite; `test_quota.py` uses PostgreSQL."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.machinery.site import Running, manage
from tests.sharedtask.support.building import good_archive, task_folder

pytestmark = pytest.mark.slow
UPLOADS = 100
QUOTA = 5
# Signs a member in without a password, and prints the cookie.
PREPARE = """
from importlib import import_module
import json
from pathlib import Path
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from sharedtask.accounts.models import User
from sharedtask.folders.load_task import load_task
from sharedtask.teams.register import register
task = load_task(Path({folder!r}))
task.phases.update(runs_total={quota})
member = User.objects.create_user("member")
register(task=task, name="Alder", members=[member], confirmed=True)
session = import_module(settings.SESSION_ENGINE).SessionStore()
session[SESSION_KEY] = str(member.pk)
session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0] if getattr(
    settings, "AUTHENTICATION_BACKENDS", None) else "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = member.get_session_auth_hash()
session.save()
print("SESSION " + session.session_key)
"""
COUNT = """
import json
from sharedtask.core import storage
from sharedtask.submissions.models import Run
print("RUNS " + json.dumps({
    "numbers": sorted(Run.objects.values_list("number", flat=True)),
    "rows": sorted(Run.objects.values_list("public_id", flat=True)),
    "files": sorted(path.name for path in (storage.root() / "uploads").iterdir()),
    "incoming": [path.name for path in (storage.root() / "incoming").iterdir()],
}))
"""


class Poster:
    """A minimal browser session: fetches the form's token and posts the form."""

    def __init__(self, url: str, session: str) -> None:
        self.host = urlsplit(url).netloc
        self.cookies = {"sessionid": session}

    def request(self, method: str, body: bytes = b"", kind: str = "text/plain") -> tuple[int, str, str]:
        """The status, the cookies that were set, the page."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": cookie, "Content-Type": kind}
        with closing(http.client.HTTPConnection(self.host, timeout=120)) as connection:
            connection.request(method, "/tasks/tiny/upload/", body=body, headers=headers)
            with closing(connection.getresponse()) as response:
                return response.status, response.headers["Set-Cookie"] or "", response.read().decode()

    def token(self) -> str:
        status, cookies, page = self.request("GET")
        assert status == 200, page
        self.cookies["csrftoken"] = re.findall(r"csrftoken=(\w+)", cookies)[-1]
        return str(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[-1])


def test_of_a_hundred_uploads_at_once_five_get_a_receipt(
    embedded: Mapping[str, str], server: Callable[..., Running], tmp_path: Path
) -> None:
    folder = task_folder(tmp_path / "task")
    output = manage("shell", "-c", PREPARE.format(folder=str(folder), quota=QUOTA), environment=embedded)
    session = re.findall(r"SESSION (\w+)", output)[-1]
    poster = Poster(server(embedded).url, session)
    form: dict[str, Any] = {"csrfmiddlewaretoken": poster.token(), "archive": Archive(good_archive())}
    body = encode_multipart(BOUNDARY, form)
    barrier = threading.Barrier(UPLOADS)

    def post(number: int) -> str:
        barrier.wait()
        status, _cookies, page = poster.request("POST", body, MULTIPART_CONTENT)
        if status == 302:
            return "receipt"
        match = re.search(r'<p class="small"><code>([\w-]+)</code>', page)
        return f"{status} {match[1] if match else page}"

    with ThreadPoolExecutor(max_workers=UPLOADS) as pool:
        outcomes = Counter(pool.map(post, range(UPLOADS)))
    assert outcomes == {"receipt": QUOTA, "400 phase-quota-used": UPLOADS - QUOTA}
    state = json.loads(re.findall(r"RUNS (.*)", manage("shell", "-c", COUNT, environment=embedded))[-1])
    assert state["numbers"] == list(range(1, QUOTA + 1))
    assert state["files"] == state["rows"]
    assert state["incoming"] == []


class Archive:
    """An object that `encode_multipart` treats as a file."""

    name = "run.zip"
    content_type = "application/zip"

    def __init__(self, content: bytes) -> None:
        self.content = content

    def read(self) -> bytes:
        return self.content
