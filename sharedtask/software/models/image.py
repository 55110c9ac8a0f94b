"""Images as teams hand them in, and the versions of a system that use them.

An image is `received`, then checked and rewritten by a worker, which makes it `ready`, or `refused` with a
reason, or `failed` after a server error. It is stored under the hash of its content and is referred to by its
id, never by the name that came with it.
"""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, Sum
from django.utils import timezone

from airlock.images import labels
from sharedtask.core.public_ids import new_public_id
from sharedtask.teams.models import System, Team
from sharedtask.uploads.images import UploadedImage


class StoredImageQuerySet(models.QuerySet["StoredImage"]):
    def waiting_for_a_check(self) -> StoredImageQuerySet:
        return self.filter(state=StoredImage.State.RECEIVED)

    def retained(self) -> StoredImageQuerySet:
        """Those that take space: refused and removed images take none."""
        return self.filter(state__in=[StoredImage.State.RECEIVED, StoredImage.State.READY])

    def names_in(self, names: Collection[str]) -> set[str]:
        """Those of these names in storage that an image has."""
        rows = self.filter(Q(stored__in=names) | Q(upload__in=names)).values_list("stored", "upload")
        return {name for row in rows for name in row if name}

    def with_use(self) -> StoredImageQuerySet:
        """Adds `was_run`: those are kept for replication."""
        versions = SystemVersion.objects.filter(image=OuterRef("pk")).exclude(executions=None)
        return self.annotate(was_run=Exists(versions))

    def total_bytes(self) -> int:
        """Equal images are stored once."""
        unchecked = self.filter(sha256="").aggregate(total=Sum("size_bytes"))["total"] or 0
        checked = self.exclude(sha256="").order_by().values_list("sha256", "size_bytes").distinct()
        return unchecked + sum(size for _, size in checked)


class StoredImage(UploadedImage):
    class State(models.TextChoices):
        RECEIVED = "received", "being checked"
        READY = "ready", "ready"
        REFUSED = "refused", "refused"
        FAILED = "failed", "server error; organisers have been notified"
        REMOVED = "removed", "removed by the team"

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="images")
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    unpacked_bytes = models.PositiveBigIntegerField(default=0)
    layers = models.PositiveIntegerField(default=0)
    command = models.JSONField(default=list, blank=True, help_text="Entry point and command.")
    declares = models.JSONField(
        default=dict, blank=True, help_text="Labels about the system; see airlock/images/labels.py."
    )

    objects = StoredImageQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at"]

    def __str__(self) -> str:
        return f"image {self.filename} of {self.team}"

    @property
    def honours_constraints(self) -> bool:
        return labels.CONSTRAINTS in self.declares

    @property
    def is_projective(self) -> bool:
        return labels.PROJECTIVE in self.declares

    @property
    def can_train(self) -> bool:
        return labels.TRAIN in self.declares

    @property
    def only_trains(self) -> bool:
        """It has no model, so that every ordinary execution would fail."""
        return self.declares.get(labels.TRAIN) == labels.ONLY


class SystemVersion(models.Model):
    """An image of a system. Versions are numbered within the system and never change."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    image = models.ForeignKey(StoredImage, on_delete=models.PROTECT, related_name="versions")
    note = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    earlier = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The version of an earlier task whose image this is.",
    )

    class Meta:
        ordering = ["system", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["system", "number"], name="a_version_number_is_used_once")
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.system}"

    @property
    def is_ready(self) -> bool:
        return self.image.state == StoredImage.State.READY
