"""The one clock of a site: that of its database, so that all its machines agree on what was in time.

Callers write `clock.database_now()`, by the module's name, so that a test that replaces it here moves the
time for everybody.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """The moment of the call, even inside a transaction, whose own `now()` stands still."""
    if connection.vendor != "postgresql":
        # SQLite runs inside this process and has this process's clock.
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (moment,) = cursor.fetchone()
    return moment
