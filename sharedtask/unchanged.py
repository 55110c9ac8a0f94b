"""Whether anything in the database has changed since somebody looked, asked without looking at it.

In: nothing. Out: a stamp. As long as it stays the same, whatever was read stays true. It tells of every
committed change, whoever made it, in whatever process. Read the stamp first and the rows afterwards: a change
in between makes the next stamp another one.

PostgreSQL: which transactions a query would see; the same ones, the same data. SQLite: a number that grows
for a connection whenever another one commits; ours never writes, so that all others are others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable
from threading import Lock

from django.db import connection

_watching = Lock()
_watcher: dict[str, sqlite3.Connection] = {}


def stamp() -> Hashable | None:
    """None inside a transaction: it sees changes of its own, of which no stamp tells."""
    if connection.in_atomic_block:
        return None
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_snapshot()::text")
            (snapshot,) = cursor.fetchone()
        return str(snapshot)
    return _version(str(connection.settings_dict["NAME"]))


def _version(name: str) -> int:
    with _watching:
        if name not in _watcher:
            _watcher[name] = sqlite3.connect(f"file:{name}?mode=ro", uri=True, check_same_thread=False)
        (version,) = _watcher[name].execute("PRAGMA data_version").fetchone()
    return int(version)
