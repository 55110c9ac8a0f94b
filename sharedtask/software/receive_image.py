"""Receive an image: a resumable upload becomes a stored image and a new version of a system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.core.errors import Refusal
from sharedtask.software.availability import refuse_if_unavailable
from sharedtask.software.models import StoredImage
from sharedtask.software.versions import create_version
from sharedtask.submissions import admission
from sharedtask.submissions.annotate import fitting_note
from sharedtask.teams.models import System, Team
from sharedtask.uploads.images import ImagePurpose, displayed_name, stored_upload
from sharedtask.uploads.models import ResumableUpload
from sharedtask.work import dispatch
from sharedtask.work.targets import CHECK_IMAGE

IMAGES_PER_DAY = 50


class ReceiveImage(ImagePurpose):
    """`Upload-Metadata` names the system by its id, and may have a `note` about the version."""

    name = "image"

    def authorise(self, request: HttpRequest, metadata: Mapping[str, str]) -> None:
        assert isinstance(request.user, User)
        refuse_if_unavailable()
        system = system_of(request.user, metadata)
        fitting_note(metadata.get("note", ""))
        refuse_without_phase(system.team)
        refuse_too_many(system.team)

    def complete(self, upload: ResumableUpload) -> str:
        """The id of the image is that of the upload, so that a second call finds what the first one did."""
        system = system_of(upload.user, upload.metadata)
        if not StoredImage.objects.filter(public_id=upload.public_id).exists():
            record_image(upload, system, stored_upload(upload))
        return reverse("software", args=[system.team.task.slug])


def record_image(upload: ResumableUpload, system: System, name: str) -> None:
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=system.team_id)
        values: dict[str, Any] = {
            "team": team,
            "uploaded_by": upload.user,
            "filename": displayed_name(upload),
            "upload": name,
            "size_bytes": upload.length,
            "received_at": upload.received_at,
        }
        image, created = StoredImage.objects.get_or_create(public_id=upload.public_id, defaults=values)
        if created:
            note = fitting_note(upload.metadata.get("note", ""))
            create_version(system, image, by=upload.user, note=note)
            dispatch.enqueue(CHECK_IMAGE, image.public_id)


def system_of(user: User, metadata: Mapping[str, str]) -> System:
    """A system of one of the user's own teams."""
    systems = System.objects.filter(team__members=user).select_related("team__task")
    system = systems.filter(public_id=metadata.get("system", "")).first()
    if system is None:
        message = "Please choose one of your team's systems."
        raise Refusal("system-unknown", message, expected="the id of a system")
    admission.refuse_withdrawn_system(system)
    return system


def refuse_without_phase(team: Team) -> None:
    if not team.task.phases.filter(software=True).exists():
        raise Refusal("software-not-accepted", f"No phase of {team.task.title} accepts software.")


def refuse_too_many(team: Team) -> None:
    if team.images.count() >= 10 * IMAGES_PER_DAY:
        raise Refusal(
            "too-many-images", "Your team has submitted too many images. Please ask the organisers."
        )
