"""Try to escape from an engine. In: an engine. Out: a table of attempts and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .engine import Engine


@dataclass(frozen=True, kw_only=True)
class Row:
    attempt: str
    """What was tried, in a few words."""
    contained: bool
    finding: str
    """What happened, in words."""


def preflight(engine: Engine) -> Iterator[Row]:
    """Run the escape suite, one row at a time; the engine may be used if all are contained."""
    raise NotImplementedError("not built yet")
