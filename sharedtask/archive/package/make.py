"""Write data packages in a worker, after a publication and when more of it becomes public.

In: the key of a publication. Out: a `Package` with its file in storage. It is idempotent: the contents are
hashed first. The file of an outdated package is removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from sharedtask.archive.models import Package
from sharedtask.archive.package.contents import Contents, contents_of, latest_publication
from sharedtask.archive.package.write import write
from sharedtask.competition.models import Task
from sharedtask.core import clock, storage
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.storage import Incoming
from sharedtask.standings.models import Publication
from sharedtask.work.dispatch import Key
from sharedtask.work.kinds import Kind
from sharedtask.work.perform import perform
from sharedtask.work.targets import PACK_RESULTS


class PackResults(Kind[Package]):
    """The message has the key of a publication; the row is the package of what is visible of it now."""

    target = PACK_RESULTS
    stage = "pack"
    key = "publication_id"
    related = ("publication__task",)

    def waiting(self) -> QuerySet[Package]:
        return Package.objects.filter(stored="")

    def request(self, keys: Sequence[Key]) -> None:
        for publication in Publication.objects.select_related("task").filter(pk__in=keys):
            request_package(contents_of(publication, at=clock.database_now()))

    def discover(self, *, at: datetime) -> None:
        """Published results whose package is missing or no longer matches what is visible."""
        for task in Task.objects.filter(results_published_at__lte=at):
            if publication := latest_publication(task, at=at):
                request_package(contents_of(publication, at=at))

    def run(self, row: Package) -> bool:
        contents = contents_of(row.publication, at=clock.database_now())
        if contents.sha256 != row.contents_sha256:
            # Visibility has changed since the request; the current contents have their own row.
            row.delete()
            return False
        write_and_record(row, contents)
        return True

    def log_fields(self, row: Package) -> dict[str, str]:
        return {"publication": str(row.publication_id)}


def make(publication_id: int) -> bool:
    """False if there is nothing to write, or another worker is writing it."""
    return bool(perform(PackResults(), [publication_id]))


def request_package(contents: Contents) -> None:
    Package.objects.get_or_create(
        publication=contents.publication,
        contents_sha256=contents.sha256,
        defaults={"wanted_at": clock.database_now(), "dispatched_at": None},
    )


def write_and_record(package: Package, contents: Contents) -> None:
    incoming = Incoming()
    try:
        write(contents, incoming)
        package.stored = f"public/{new_public_id()}"
        incoming.keep(package.stored)
    finally:
        incoming.discard()
    package.sha256, package.size_bytes = incoming.sha256, incoming.size
    package.made_at, package.claimed_until, package.claimed_by = clock.database_now(), None, ""
    with transaction.atomic():
        package.save()
        older = Package.objects.filter(publication=package.publication).exclude(pk=package.pk)
        names = [name for name in older.values_list("stored", flat=True) if name]
        older.delete()
        transaction.on_commit(lambda: remove(names))


def forget_file(package: Package) -> None:
    """The file is gone, for example after restoring a backup: the sweep will request the package again."""
    Package.objects.filter(pk=package.pk, stored=package.stored).update(stored="", dispatched_at=None)


def remove(names: list[str]) -> None:
    for name in names:
        storage.remove(name)
