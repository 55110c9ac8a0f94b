"""The workers' part: what was published, and what of it became public since, is written as a package.

In: the key of a publication. Out: a `Package` with its file in storage. Done twice, it changes nothing: the
contents are hashed first. The file of a package that is not up to date any more is taken away.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from sharedtask.archive.models import Package
from sharedtask.archive.package.contents import Contents, contents_of, latest_publication
from sharedtask.archive.package.write import write
from sharedtask.competition.models import Task
from sharedtask.core import clock, storage
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.storage import Incoming
from sharedtask.standings.models import Publication
from sharedtask.work import dispatch
from sharedtask.work.heartbeat import beating
from sharedtask.work.lease import LEASE, free, this_worker
from sharedtask.work.retry import tried_again

PATIENCE = LEASE * 2 / 3


def make(publication_id: int, *, at: datetime | None = None) -> Package | None:
    """None when there is nothing to write, or somebody else is at it."""
    publication = Publication.objects.select_related("task").filter(pk=publication_id).first()
    if publication is None:
        return None
    contents = contents_of(publication, at=at or clock.database_now())
    package = claim(contents)
    if package is None:
        return None
    with tried_again(package, stage="pack", publication=str(package.publication_id)), beating(package):
        write_and_record(package, contents)
        return package
    return None


def claim(contents: Contents) -> Package | None:
    now = clock.database_now()
    package, _ = Package.objects.get_or_create(
        publication=contents.publication,
        contents_sha256=contents.sha256,
        defaults={"wanted_at": now, "handed_out_at": now},
    )
    unwritten = Package.objects.filter(free(now), pk=package.pk, stored="")
    if not unwritten.update(claimed_until=now + LEASE, claimed_by=this_worker()):
        return None
    return Package.objects.get(pk=package.pk)


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
    """It is gone, after a backup was restored say: the sweeper has the package written again."""
    Package.objects.filter(pk=package.pk, stored=package.stored).update(
        stored="", handed_out_at=package.wanted_at
    )


def remove(names: list[str]) -> None:
    for name in names:
        storage.remove(name)


def hand_out_unwritten(*, at: datetime, patience: timedelta = PATIENCE) -> int:
    """For the sweeper: results whose package is missing, or shows less or more than it may."""
    number = 0
    for task in Task.objects.filter(results_published_at__lte=at):
        publication = latest_publication(task, at=at)
        if publication is None:
            continue
        contents = contents_of(publication, at=at)
        package, created = Package.objects.get_or_create(
            publication=publication, contents_sha256=contents.sha256, defaults={"handed_out_at": at}
        )
        waiting = Package.objects.filter(free(at), pk=package.pk, stored="")
        if created or waiting.filter(handed_out_at__lte=at - patience).update(handed_out_at=at):
            dispatch.hand_out(dispatch.PACK_RESULTS, str(publication.pk))
            number += 1
    return number
