"""Systems of earlier tasks on the data of this one: their images enter as baselines, on the same board."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core.errors import Refusal
from sharedtask.software.models import StoredImage, SystemVersion
from sharedtask.software.versions import create_version
from sharedtask.submissions.enter_baseline import enter_baseline
from sharedtask.teams.models import Team

MAX_NAME = 80


def earlier_versions(task: Task, viewer: User) -> QuerySet[SystemVersion]:
    """Of other tasks that the organiser organises too, with an image that is still stored."""
    versions = SystemVersion.objects.filter(
        image__state=StoredImage.State.READY, earlier=None, system__withdrawn_at=None
    ).exclude(system__team__task=task)
    if not viewer.is_superuser:
        versions = versions.filter(system__team__task__organisers=viewer)
    return versions.select_related("system__team__task", "image").order_by("system__team__task", "system")


def enter_earlier_system(*, task: Task, version: SystemVersion, by: User, reason: str) -> SystemVersion:
    """The baseline is named after the system and its task, such as “Elm (CoNLL 2017)”."""
    if not earlier_versions(task, by).filter(pk=version.pk).exists():
        raise Refusal("system-unknown", "There is no such system in another task that you organise.")
    title = version.system.team.task.title
    name = f"{version.system.team.name} ({title})"[:MAX_NAME]
    with transaction.atomic():
        team = enter_baseline(task=task, name=name, by=by, reason=reason)
        team = Team.objects.select_for_update().get(pk=team.pk)
        return create_version(
            team.primary_system,
            version.image,
            by=by,
            note=f"version {version.number} of {title}"[:200],
            earlier=version,
        )
