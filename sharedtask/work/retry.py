"""How often failed work is retried, and after which pauses: each is twice as long as the one before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

# Larger powers of two would overflow a timedelta; the longest pause is reached before.
MAX_DOUBLINGS = 20


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    first_pause: timedelta = timedelta(seconds=5)
    max_pause: timedelta = timedelta(minutes=10)
    max_attempts: int | None = None
    """None: without limit."""
    max_machine_attempts: int | None = None
    """For temporary errors that are not caused by the row: a full disk, or a storage that is down."""
    machine_errors: tuple[type[Exception], ...] = ()
    """Further ones, of what this kind of work depends on."""
    max_losses: int | None = None
    """Workers die for many reasons; after so many losses the row itself is assumed to be the reason."""

    def pause_after(self, attempts: int) -> timedelta:
        """The pause after so many failures."""
        return min(self.first_pause * 2 ** min(max(attempts - 1, 0), MAX_DOUBLINGS), self.max_pause)

    def allows(self, attempts: int, error: Exception) -> bool:
        """Whether there is another attempt after so many failures, of which this was the last."""
        limit = self.max_attempts
        is_temporary = is_machine_error(error) or isinstance(error, self.machine_errors)
        if is_temporary and self.max_machine_attempts is not None:
            limit = self.max_machine_attempts
        return limit is None or attempts < limit

    def allows_after_losses(self, losses: int) -> bool:
        return self.max_losses is None or losses < self.max_losses


def is_machine_error(error: Exception) -> bool:
    """No space, no memory, no connection, no response from the storage."""
    return isinstance(error, OSError | MemoryError) or type(error).__module__.startswith("botocore")
