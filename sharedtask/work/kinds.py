"""A kind of work: one class per kind, with everything that is specific to it.

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
from sharedtask.work.lease import LEASE, PATIENCE, Leased, unclaimed
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import Target

LeasedRow = TypeVar("LeasedRow", bound=Leased)
Attempt = Callable[..., AbstractContextManager[Any]]
"""A context for the work of one row, or of several that succeed or fail together; it records failures."""


class WorkKind(ABC, Generic[LeasedRow]):
    """Work on rows, each of which one worker at a time holds for the length of a lease."""

    target: ClassVar[Target]
    stage: ClassVar[str]
    """Its name in logs and failures."""
    key: ClassVar[str] = "public_id"
    """The field of the row that messages carry. Several rows may have the same key."""
    related: ClassVar[tuple[str, ...]] = ()
    """Related rows to select together with a claimed row."""
    claimed_values: ClassVar[dict[str, Any]] = {}
    """Values that a claim writes besides the lease."""
    rows_per_claim: ClassVar[int | None] = None
    """None: all rows that a message names are claimed together."""
    lease: ClassVar[timedelta] = LEASE
    patience: ClassVar[timedelta] = PATIENCE
    time_limit: ClassVar[timedelta | None] = None
    """After which the process is killed; None: the limit of the installation."""
    retries: ClassVar[RetryPolicy] = RetryPolicy()

    @abstractmethod
    def waiting(self) -> QuerySet[LeasedRow]:
        """The rows whose work is not done yet, claimed or not."""

    def with_related(self, rows: QuerySet[LeasedRow]) -> QuerySet[LeasedRow]:
        """Without names, `select_related` would join every table, which a worker may have no rights to."""
        return rows.select_related(*self.related) if self.related else rows

    def process(self, row: LeasedRow) -> int | None:
        """Process one claimed row, record the result, and release the row in the same update.

        Returns how much was done; None counts as 1. A kind that processes several rows
        together overrides `process_claimed`.
        """
        raise NotImplementedError

    def ready(self, at: datetime) -> QuerySet[LeasedRow]:
        """The waiting rows that can be claimed now."""
        return self.waiting().filter(unclaimed(at))

    def process_claimed(self, rows: Sequence[LeasedRow], attempt: Attempt) -> int:
        """Process the rows of one claim and return how much was done. Each row fails by itself."""
        done = 0
        for row in rows:
            with attempt(row):
                result = self.process(row)
                done += 1 if result is None else result
        return done

    def messages(self, rows: Iterable[LeasedRow]) -> Iterator[Sequence[Key]]:
        """The keys of each message about these rows: one message per row, unless overridden."""
        for row in rows:
            yield [getattr(row, self.key)]

    def create_rows(self, keys: Sequence[Key]) -> None:
        """Before a claim: create the rows for these keys, if a message alone requests the work."""

    def not_claimed(self, keys: Sequence[Key], *, at: datetime) -> None:
        """Nothing could be claimed: the rows are done, held by another worker, or not ready."""

    def discover(self, *, at: datetime) -> None:
        """Before a sweep: create the rows of work that is due and that nothing has requested."""

    def handle(self, row: LeasedRow, error: Exception, failure: Failure) -> bool:
        """Handle an error that is no failure of the server, such as a refusal.

        Returns whether the error is settled, so that it is not retried.
        """
        return False

    def give_up(self, row: LeasedRow, failure: Failure) -> None:
        """After the last attempt, or after too many lost workers. Afterwards the row must not be waiting."""

    def details(self, row: LeasedRow) -> dict[str, str]:
        """Additional fields of a failure."""
        return {}

    def log_fields(self, row: LeasedRow) -> dict[str, str]:
        return {}

    def note(self, error: BaseException) -> str:
        """What is logged and stored of an error. To be overridden if messages may contain secrets."""
        return "".join(traceback.format_exception(error))


@dataclass(frozen=True, kw_only=True)
class Job:
    """Short work without a lease, because doing it twice, even at the same time, does no harm."""

    target: Target
    run: Callable[[Any], object]
    overdue: Callable[[datetime, timedelta], Iterable[Key]] = lambda at, patience: ()
    """For the sweep: the keys whose message must have been lost."""
    patience: timedelta = PATIENCE
