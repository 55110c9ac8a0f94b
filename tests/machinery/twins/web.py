"""`gunicorn tests.machinery.twins.web`: each request at the moment of the file, its chance by its label.

What the process did for a request is written to the file `work`: the statements it sent to the database, and
the folders below the data directory in which it opened a file. Durations would say the same less reliably.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

from django.db import connection

from sharedtask.wsgi import application as site
from tests.machinery.twins.standing import FOLDER, moment, sow, standing_at

DATA = os.environ["DATA_DIR"]
_doing: list[str] | None = None
_travel = standing_at(moment())
_traveller = _travel.start()


def notice(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _doing is not None and str(arguments[0]).startswith(DATA):
        # Names of new files are random; that one was opened, and where, is what counts.
        _doing.append(f"open in {os.path.dirname(str(arguments[0])).removeprefix(DATA)}")


def noticing(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
    if _doing is not None:
        # A savepoint is named for its thread.
        _doing.append(re.sub(r'"s\d+_x\d+"', "savepoint", sql))
    return execute(sql, *arguments)


sys.addaudithook(notice)


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    global _doing
    label = environ.pop("HTTP_X_LABEL", "")
    _traveller.move_to(moment(), tick=False)
    sow(label)
    _doing = []
    try:
        with connection.execute_wrapper(noticing):
            answer = site(environ, start_response)
            body = list(answer)
        # Without it the request does not end, and its connection to the database stays open.
        getattr(answer, "close", lambda: None)()
    finally:
        done, _doing = _doing, None
    with (FOLDER / "work").open("a", encoding="utf-8") as work:
        work.write(json.dumps([label, done]) + "\n")
    return body
