"""A kind of work: one class per kind, which says all that is particular to it.

Everything else (claiming, heartbeat, retry, losses, sweep, messages, the Celery task) is the same for all
kinds and reads these attributes and methods. `operations/kinds.py` lists the kinds.
"""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import QuerySet

from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.lease import LEASE, Leased, free
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import Target

Row = TypeVar("Row", bound=Leased)
Attempt = Callable[..., AbstractContextManager[Any]]
"""Around the work of one row, or of several that succeed or fail together: it records what fails."""


class Kind(ABC, Generic[Row]):
    """Work with a row of its own, which one worker at a time holds for the length of a lease."""

    target: ClassVar[Target]
    stage: ClassVar[str]
    """What logs and failures call it."""
    key: ClassVar[str] = "public_id"
    """The field of the row that messages carry. Several rows may have the same key."""
    related: ClassVar[tuple[str, ...]] = ()
    """What is fetched together with a claimed row."""
    claimed_values: ClassVar[dict[str, Any]] = {}
    """What a claim writes besides the lease."""
    rows_per_claim: ClassVar[int | None] = None
    """None: all rows that a message names are claimed together."""
    lease: ClassVar[timedelta] = LEASE
    patience: ClassVar[timedelta] = LEASE * 2 / 3
    """How long a message may be under way before the sweep sends another one after it."""
    time_limit: ClassVar[timedelta | None] = None
    """After which the process is killed; None: the limit of the installation."""
    retries: ClassVar[RetryPolicy] = RetryPolicy()

    @abstractmethod
    def waiting(self) -> QuerySet[Row]:
        """The rows whose work is still to be done, whether or not somebody is at it."""

    def run(self, row: Row) -> int | None:
        """Do the work of one claimed row and record the result, and with it that nobody holds the row.

        How much was done; None counts as 1. A kind that works on several rows together overrides `work`.
        """
        raise NotImplementedError

    def ready(self, at: datetime) -> QuerySet[Row]:
        """Those of the waiting rows that can be claimed now."""
        return self.waiting().filter(free(at))

    def work(self, rows: Sequence[Row], attempt: Attempt) -> int:
        """Do the work of the rows of one claim; how much was done. Each row fails by itself."""
        done = 0
        for row in rows:
            with attempt(row):
                result = self.run(row)
                done += 1 if result is None else result
        return done

    def messages(self, rows: Iterable[Row]) -> Iterator[Sequence[Key]]:
        """The keys of each message about these rows: one message per row, unless overridden."""
        for row in rows:
            yield [getattr(row, self.key)]

    def request(self, keys: Sequence[Key]) -> None:
        """Before a claim: write the rows that the keys ask for, where a message is what asks for them."""

    def not_claimed(self, keys: Sequence[Key], *, at: datetime) -> None:
        """Nothing could be claimed: done already, held by somebody else, or not ready."""

    def discover(self, *, at: datetime) -> None:
        """Before a sweep: write the rows of work that is due and that nobody has asked for."""

    def handle(self, row: Row, error: Exception, failure: Failure) -> bool:
        """Answer an error that is no failure on our side, a refusal say. True: nothing is left to do."""
        return False

    def give_up(self, row: Row, failure: Failure) -> None:
        """It failed for the last time, or cost too many workers. The row must not wait afterwards."""

    def details(self, row: Row) -> dict[str, str]:
        """What a failure says besides."""
        return {}

    def log_fields(self, row: Row) -> dict[str, str]:
        return {}

    def note(self, error: BaseException) -> str:
        """What is logged and kept of an error. Override it where a message may hold what nobody may read."""
        return "".join(traceback.format_exception(error))


@dataclass(frozen=True, kw_only=True)
class Job:
    """Short work without a lease, because doing it twice, even at the same time, changes nothing."""

    target: Target
    run: Callable[[Any], object]
    overdue: Callable[[datetime, timedelta], Iterable[Key]] = lambda at, patience: ()
    """The keys for which a message must have been lost, for the sweep."""
