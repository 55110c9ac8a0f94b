"""Find the data package of a task that readers can download at a time.

In: a task and a time. Out: the `Package` of what is public then. While a worker is writing it, the previous
one is as good, as long as everything in it is still public.
"""

from __future__ import annotations

from datetime import datetime

from sharedtask.archive.models import Package
from sharedtask.archive.package.contents import Contents, contents_of, latest_publication
from sharedtask.competition.models import Task


def public_contents(task: Task, *, at: datetime) -> Contents | None:
    """None before anything is published."""
    publication = latest_publication(task, at=at)
    contents = contents_of(publication, at=at) if publication else None
    return contents if contents and contents.standings else None


def find_package(contents: Contents) -> Package | None:
    """None while a worker is writing it."""
    packages = Package.objects.filter(publication=contents.publication, contents_sha256=contents.sha256)
    return packages.exclude(stored="").first()


def package_of(task: Task, *, at: datetime) -> Package | None:
    contents = public_contents(task, at=at)
    return find_package(contents) if contents else None


def previous_package(task: Task, *, at: datetime) -> Package | None:
    """The last one that was written, also for an earlier publication; None if it shows what is hidden now."""
    written = Package.objects.filter(publication__task=task, publication__at__lte=at).exclude(stored="")
    package = written.select_related("publication__task").order_by("-written_at").first()
    return package if package is not None and is_still_public(package, at=at) else None


def is_still_public(package: Package, *, at: datetime) -> bool:
    """A package of which nothing is recorded was never checked, so it is not public."""
    public = {tuple(item) for item in contents_of(package.publication, at=at).disclosed()}
    return bool(package.disclosed) and {tuple(item) for item in package.disclosed} <= public
