"""How often failed work is tried again, and how long it rests before: a pause that doubles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

# A larger power of two would soon be no length of time any more; the longest pause is reached before.
MAX_DOUBLINGS = 20


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    first_pause: timedelta = timedelta(seconds=5)
    longest_pause: timedelta = timedelta(minutes=10)
    max_attempts: int | None = None
    """None: it is tried for ever."""
    max_machine_attempts: int | None = None
    """For a full disk, or a store that is down: it passes, and it is not the row that causes it."""
    max_losses: int | None = None
    """Workers die for many reasons; a row that so many have died with is the reason."""

    def pause_after(self, attempts: int) -> timedelta:
        """How long to rest after so many failures."""
        return min(self.first_pause * 2 ** min(max(attempts - 1, 0), MAX_DOUBLINGS), self.longest_pause)

    def allows(self, attempts: int, error: Exception) -> bool:
        """Whether there is another attempt after so many failures, of which this was the last."""
        limit = self.max_attempts
        if is_of_the_machine(error) and self.max_machine_attempts is not None:
            limit = self.max_machine_attempts
        return limit is None or attempts < limit

    def allows_after_losses(self, losses: int) -> bool:
        return self.max_losses is None or losses < self.max_losses


def is_of_the_machine(error: Exception) -> bool:
    """No space, no memory, no connection, no answer from the store."""
    return isinstance(error, OSError | MemoryError) or type(error).__module__.startswith("botocore")
