"""`gunicorn tests.machinery.moved.web`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sharedtask.wsgi import application as site
from tests.machinery.moved import follow


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    follow()
    return site(environ, start_response)
