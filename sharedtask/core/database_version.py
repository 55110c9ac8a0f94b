"""Whether anything in the database has changed since somebody looked, asked without looking at it.

In: nothing. Out: the moment and a stamp. As long as it stays the same, whatever was read stays true. It tells
of every committed change, whoever made it, in whatever process. Read the stamp first and the rows afterwards:
a change in between makes the next stamp another one.

PostgreSQL: which transactions a query would see; the same ones, the same data. SQLite: a number that grows
for a connection whenever another one commits; ours never writes, so that all others are others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable
from datetime import datetime
from threading import Lock

from django.db import connection

from sharedtask.core import clock

_watching = Lock()
_watcher: dict[str, sqlite3.Connection] = {}


def now_and_stamp() -> tuple[datetime, Hashable | None]:
    """The moment, and the stamp that held then; for PostgreSQL in the query that asks for the moment anyway.

    There is no stamp inside a transaction, which sees changes of its own, nor with a clock that asks nobody.
    """
    clock.snapshot.set(None)
    at = clock.database_now()
    if connection.in_atomic_block:
        return at, None
    if connection.vendor == "postgresql":
        return at, clock.snapshot.get()
    return at, _version(str(connection.settings_dict["NAME"]))


def _version(name: str) -> int:
    with _watching:
        if name not in _watcher:
            _watcher[name] = sqlite3.connect(f"file:{name}?mode=ro", uri=True, check_same_thread=False)
        (version,) = _watcher[name].execute("PRAGMA data_version").fetchone()
    return int(version)
