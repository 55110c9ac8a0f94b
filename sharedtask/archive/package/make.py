"""The workers' part: what was published, and what of it became public since, is written as a package.

In: the key of a publication. Out: a `Package` with its file in storage. Done twice, it changes nothing: the
contents are hashed first. The file of a package that is not up to date any more is taken away.
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
    """A message names a publication; the row is the package of what may be seen of it now."""

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
        """Results whose package is missing, or shows less or more than it may."""
        for task in Task.objects.filter(results_published_at__lte=at):
            if publication := latest_publication(task, at=at):
                request_package(contents_of(publication, at=at))

    def run(self, row: Package) -> bool:
        contents = contents_of(row.publication, at=clock.database_now())
        if contents.sha256 != row.contents_sha256:
            # What may be seen has changed since; the package of what may be seen now has a row of its own.
            row.delete()
            return False
        write_and_record(row, contents)
        return True

    def log_fields(self, row: Package) -> dict[str, str]:
        return {"publication": str(row.publication_id)}


def make(publication_id: int) -> bool:
    """False when there is nothing to write, or somebody else is at it."""
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
    """It is gone, after a backup was restored say: the sweep has the package written again."""
    Package.objects.filter(pk=package.pk, stored=package.stored).update(stored="", dispatched_at=None)


def remove(names: list[str]) -> None:
    for name in names:
        storage.remove(name)
