"""Structured logs: every line about a run has its public id, from the upload to the last score.

In: `with logs.about(run=…):` around a step, and for a request the id that the proxy gave it. Out: records
with these fields, which the production profile writes as one JSON object per line, and the others in front of
the message.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_about: ContextVar[Mapping[str, str]] = ContextVar("about", default={})  # noqa: B039


@contextmanager
def about(**fields: str) -> Iterator[None]:
    token = _about.set({**_about.get(), **fields})
    try:
        yield
    finally:
        _about.reset(token)


def with_request_id(application: WSGIApplication) -> WSGIApplication:
    """Around the WSGI application, because Django logs a page that was not found after its middleware."""

    def logged(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request_id = environ.get("HTTP_X_REQUEST_ID")
        with about(request=request_id) if request_id else nullcontext():
            return application(environ, start_response)

    return logged


class AddContext(logging.Filter):
    """On a handler: adds the fields of the current step to every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        fields = _about.get()
        record.fields = fields
        record.prefix = "".join(f"{name} {value}: " for name, value in fields.items())
        return True


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
