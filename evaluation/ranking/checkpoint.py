"""What a long computation has done so far, so that it can be continued by another process.

The computation reports every step; whoever runs it decides how often the state is worth saving, and where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Checkpoint:
    """Keeps the state of each part in memory. Subclasses override `step` and save `parts`."""

    def __init__(self, parts: Mapping[str, bytes] | None = None) -> None:
        self.parts = dict(parts or {})
        self.span = (0.0, 1.0)
        """The share of the whole work that the present part begins and ends with."""

    def step(self, part: str, state: Callable[[], bytes], *, share: float) -> None:
        """A step of a part is done; `share` is how much of the part that is. `state` may be expensive."""

    def finish(self, part: str, result: bytes) -> None:
        self.parts[finished(part)] = result
        self.parts.pop(part, None)

    def drop(self, part: str) -> None:
        """Its result is no longer needed."""
        self.parts.pop(finished(part), None)

    def result(self, part: str) -> bytes | None:
        return self.parts.get(finished(part))

    def total(self, share: float) -> float:
        """The share of the whole work that is done."""
        begin, end = self.span
        return begin + share * (end - begin)


def finished(part: str) -> str:
    return f"{part} finished"
