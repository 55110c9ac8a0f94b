"""Data packages that workers have written, each for a publication and for what everybody may see of it."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from sharedtask.standings.models import Publication
from sharedtask.work.lease import Leased


class Package(Leased):
    """A zip of published results. When more of them becomes public, gold say, another one is written."""

    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="packages")
    contents_sha256 = models.CharField(
        max_length=64, help_text="Of everything that goes in; the same contents are written once."
    )
    stored = models.CharField(max_length=200, blank=True, help_text="Name in storage; empty until written.")
    sha256 = models.CharField(max_length=64, blank=True)
    size_bytes = models.PositiveBigIntegerField(default=0)
    wanted_at = models.DateTimeField(default=timezone.now)
    made_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "contents_sha256"], name="a_package_is_written_once"
            )
        ]

    def __str__(self) -> str:
        return f"data package of the {self.publication}"
