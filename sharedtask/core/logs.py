"""Structured logs: every line about a run carries its public id, from the upload to the last score.

In: `with logs.about(run=…):` around a step, and for a request the number that the proxy gave it. Out: records
with these words, which the production profile writes as one JSON object a line, and the others in front of
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
def about(**words: str) -> Iterator[None]:
    token = _about.set({**_about.get(), **words})
    try:
        yield
    finally:
        _about.reset(token)


def numbered(application: WSGIApplication) -> WSGIApplication:
    """Around the whole site, because Django tells of a page not found when its middleware is done."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        number = environ.get("HTTP_X_REQUEST_ID")
        with about(request=number) if number else nullcontext():
            return application(environ, start_response)

    return answer


class AddWords(logging.Filter):
    """Put on a handler: what the step is about is written into every record that passes."""

    def filter(self, record: logging.LogRecord) -> bool:
        words = _about.get()
        record.words = words
        record.prefix = "".join(f"{name} {value}: " for name, value in words.items())
        return True


class AsJson(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **getattr(record, "words", {}),
        }
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)
