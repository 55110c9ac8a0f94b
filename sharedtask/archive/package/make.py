"""Write data packages in a worker, after a publication and when more of it becomes public.

In: the key of a publication. Out: a `Package` with its file in storage. It is idempotent: the contents are
hashed first. A publication has one unwritten package at most, whose contents follow what is visible, so that
a burst of changes is packed once and never by two workers. The file of an outdated package is removed. After
too many failures the package waits for an organiser (`retry.py`), or for new contents.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from sharedtask.archive.models import Package
from sharedtask.archive.package.contents import Contents, contents_of, latest_publication
from sharedtask.archive.package.write import write
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.core import clock, storage
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.storage import Incoming
from sharedtask.standings.models import Publication
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.perform import perform
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import PACK_RESULTS

QUIET_PERIOD = timedelta(seconds=30)
"""When contents change before they are written, further changes are expected: a package waits this long."""
LONGEST_COPYING = timedelta(minutes=15)
"""Workers copy released gold set by set. The package waits for them, but not for a copy that failed."""


class PackResults(WorkKind[Package]):
    """The message has the key of a publication; the row is the package of what is visible of it now."""

    target = PACK_RESULTS
    stage = "pack"
    key = "publication_id"
    related = ("publication__task",)
    # A full disk or a storage that is down may last for a day.
    retries = RetryPolicy(max_attempts=8, max_machine_attempts=150, max_losses=5)

    def waiting(self) -> QuerySet[Package]:
        return Package.objects.waiting()

    def ready(self, at: datetime) -> QuerySet[Package]:
        being_copied = GoldVersion.objects.filter(
            test_set__task=OuterRef("publication__task"),
            released_at__gt=at - LONGEST_COPYING,
            public_copy="",
        )
        return super().ready(at).filter(Q(due_at=None) | Q(due_at__lte=at), ~Exists(being_copied))

    def create_rows(self, keys: Sequence[Key]) -> None:
        for publication in Publication.objects.select_related("task").filter(pk__in=keys):
            request_package(publication, at=clock.database_now())

    def discover(self, *, at: datetime) -> None:
        """Published results whose package is missing or no longer matches what is visible."""
        for task in Task.objects.filter(results_published_at__lte=at):
            if publication := latest_publication(task, at=at):
                request_package(publication, at=at)

    def process(self, row: Package) -> bool:
        contents = contents_of(row.publication, at=clock.database_now())
        if contents.sha256 != row.contents_sha256:
            # Visibility has changed since the request.
            Package.objects.filter(pk=row.pk).update(**released())
            request_package(row.publication, at=clock.database_now())
            return False
        return write_package(row, contents)

    def give_up(self, row: Package, failure: Failure) -> None:
        Package.objects.waiting().filter(pk=row.pk).update(failed_at=clock.database_now(), **released())

    def log_fields(self, row: Package) -> dict[str, str]:
        return {"publication": str(row.publication_id)}


class PackNow(PackResults):
    """For commands that need the package of this moment: they neither wait for changes nor for organisers."""

    def waiting(self) -> QuerySet[Package]:
        return Package.objects.unwritten()

    def ready(self, at: datetime) -> QuerySet[Package]:
        return WorkKind.ready(self, at)


def make(publication_id: int) -> bool:
    """False if there is nothing to write, or another worker is writing it."""
    return bool(perform(PackNow(), [publication_id]))


def request_package(publication: Publication, *, at: datetime) -> None:
    contents = contents_of(publication, at=at)
    packages = Package.objects.filter(publication=publication)
    if is_requested(packages, contents):
        return
    with transaction.atomic():
        # Serialise requests: a publication has one unwritten package.
        Publication.objects.select_for_update().get(pk=publication.pk)
        unwritten = packages.unwritten()
        if packages.filter(contents_sha256=contents.sha256).exclude(stored="").exists():
            unwritten.delete()
        elif not unwritten.exists():
            Package.objects.create(
                publication=publication, contents_sha256=contents.sha256, dispatched_at=None
            )
        else:
            unwritten.exclude(contents_sha256=contents.sha256).update(
                contents_sha256=contents.sha256,
                due_at=at + QUIET_PERIOD,
                dispatched_at=None,
                failed_at=None,
                attempts=0,
                losses=0,
            )


def is_requested(packages: QuerySet[Package], contents: Contents) -> bool:
    """The usual case of a sweep, in one query: these contents are written or requested, and no others."""
    rows = list(packages.values_list("contents_sha256", "stored"))
    unwritten = [sha256 for sha256, stored in rows if not stored]
    if unwritten:
        return unwritten == [contents.sha256]
    return any(sha256 == contents.sha256 for sha256, _ in rows)


def write_package(package: Package, contents: Contents) -> bool:
    """False if the contents changed meanwhile; the row then waits for another packing."""
    incoming = Incoming()
    try:
        write(contents, incoming)
        name = f"public/{new_public_id()}"
        incoming.commit(name)
    finally:
        incoming.discard()
    recorded = False
    try:
        recorded = record(package, name, incoming, contents)
    finally:
        if not recorded:
            storage.remove(name)
    return recorded


def record(package: Package, name: str, incoming: Incoming, contents: Contents) -> bool:
    """Only while this worker holds the row and the row still asks for these contents."""
    with transaction.atomic():
        claimed = Package.objects.filter(pk=package.pk, stored="", claimed_by=package.claimed_by)
        current = claimed.filter(contents_sha256=package.contents_sha256)
        values = {
            "disclosed": contents.disclosed(),
            "stored": name,
            "sha256": incoming.sha256,
            "size_bytes": incoming.size,
        }
        if not current.update(**values, written_at=clock.database_now(), failed_at=None, **released()):
            claimed.update(**released())
            return False
        older = Package.objects.filter(publication=package.publication).exclude(pk=package.pk)
        names = [name for name in older.values_list("stored", flat=True) if name]
        older.delete()
        transaction.on_commit(lambda: remove(names))
    return True


def forget_file(package: Package) -> None:
    """The file is gone, for example after restoring a backup: the sweep will request the package again."""
    Package.objects.filter(pk=package.pk, stored=package.stored).delete()


def remove(names: list[str]) -> None:
    for name in names:
        storage.remove(name)
