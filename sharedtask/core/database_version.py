"""Whether anything in the database has changed since an earlier moment, without reading any of it.

In: nothing. Out: the moment and a version. As long as the version is the same, everything that was read is
still true: it changes with every committed change, made by any process. Read the version first and the rows
afterwards, so that a change in between gives another version the next time.

PostgreSQL: the transactions that a query would see; the same transactions, the same data. SQLite: a number
that grows for a connection whenever another one commits; the connection used here never writes itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable
from datetime import datetime
from threading import Lock

from django.db import connection

from sharedtask.core import clock

_lock = Lock()
_connections: dict[str, sqlite3.Connection] = {}
"""By the name of the file."""


def now_and_version() -> tuple[datetime, Hashable | None]:
    """The moment and the version at that moment; with PostgreSQL one query gives both.

    There is no version inside a transaction, which sees changes of its own, nor with a stopped clock.
    """
    at, snapshot = clock.now_and_snapshot()
    if connection.in_atomic_block:
        return at, None
    if connection.vendor == "postgresql":
        return at, snapshot
    return at, _sqlite_version(str(connection.settings_dict["NAME"]))


def _sqlite_version(name: str) -> int:
    with _lock:
        if name not in _connections:
            _connections[name] = sqlite3.connect(f"file:{name}?mode=ro", uri=True, check_same_thread=False)
        (version,) = _connections[name].execute("PRAGMA data_version").fetchone()
    return int(version)
