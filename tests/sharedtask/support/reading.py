"""Whether a request that only reads writes anything to the database."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

MAY_BE_WRITTEN = ("django_session", "attempts")
"""Who is signed in, and how often somebody has tried to: both belong to the visit and not to the site."""
WRITE = re.compile(r"\s*(INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+\"?(\w+)", re.IGNORECASE)


class Written(AssertionError):
    """A page that was only read has written to this table."""


def refuse_to_write(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    write = WRITE.match(sql)
    if write and write[2] not in MAY_BE_WRITTEN:
        raise Written(f"{write[1]} {write[2]}")
    return execute(sql, params, many, context)


@contextmanager
def nothing_written() -> Iterator[None]:
    with connection.execute_wrapper(refuse_to_write):
        yield
