"""A new version of a system: the next number, and an image."""

from __future__ import annotations

from django.db.models import Max

from sharedtask.accounts.models import User
from sharedtask.software.models import StoredImage, SystemVersion
from sharedtask.teams.models import System


def create_version(
    system: System,
    image: StoredImage,
    *,
    by: User | None,
    note: str = "",
    earlier: SystemVersion | None = None,
) -> SystemVersion:
    """Call it in a transaction that has locked the team, which numbers the versions of its systems."""
    last = system.versions.aggregate(last=Max("number"))["last"] or 0
    return SystemVersion.objects.create(
        system=system, number=last + 1, image=image, note=note, created_by=by, earlier=earlier
    )
