"""Data packages written by workers, each for a publication and what visitors may see of it."""

from __future__ import annotations

from django.db import models

from sharedtask.standings.models import Publication
from sharedtask.work.lease import Leased


class PackageQuerySet(models.QuerySet["Package"]):
    def unwritten(self) -> PackageQuerySet:
        return self.filter(stored="")

    def waiting(self) -> PackageQuerySet:
        return self.unwritten().filter(failed_at=None)

    def failed(self) -> PackageQuerySet:
        return self.unwritten().exclude(failed_at=None)


class Package(Leased):
    """A zip of published results. When more becomes public, for example gold, it is written again."""

    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="packages")
    contents_sha256 = models.CharField(
        max_length=64, help_text="Hash of the contents; the same contents are written once."
    )
    disclosed = models.JSONField(
        default=list, blank=True, help_text="What its file shows: names, standings, outputs, gold."
    )
    stored = models.CharField(max_length=200, blank=True, help_text="Name in storage; empty until written.")
    sha256 = models.CharField(max_length=64, blank=True)
    size_bytes = models.PositiveBigIntegerField(default=0)
    due_at = models.DateTimeField(
        null=True, blank=True, help_text="Not written earlier: more may become public. Empty: at once."
    )
    written_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(
        null=True, blank=True, help_text="When workers gave up; an organiser can let them retry."
    )

    objects = PackageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "contents_sha256"], name="a_package_is_written_once"
            ),
            models.UniqueConstraint(
                fields=["publication"],
                condition=models.Q(stored=""),
                name="a_publication_has_one_unwritten_package",
            ),
        ]

    def __str__(self) -> str:
        return f"data package of {self.publication}"
