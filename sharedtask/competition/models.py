"""A shared task and its test sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.urls import reverse

if TYPE_CHECKING:
    from datetime import datetime


class Task(models.Model):
    class MissingPolicy(models.TextChoices):
        ZERO = "zero", "a missing or invalid file counts as 0"
        EXCLUDE = "exclude", "averages are over the files that were submitted"

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=120)
    summary = models.CharField(max_length=300, help_text="One sentence for the list of tasks.")
    description = models.TextField(help_text="Plain paragraphs, separated by blank lines.")
    profile = models.CharField(max_length=40, help_text="Evaluation profile: which metrics, computed how.")
    missing_policy = models.CharField(
        max_length=10, choices=MissingPolicy.choices, default=MissingPolicy.ZERO
    )
    baselines_ranked = models.BooleanField(default=True)
    blind = models.BooleanField(default=True, help_text="While set, scores are the organisers' alone.")
    groups = models.JSONField(default=list, help_text="Names of the groups, in the order of the columns.")
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    organisers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="organised_tasks", blank=True)

    class Meta:
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.slug])

    def is_open(self, *, at: datetime) -> bool:
        """Whether uploads are taken at this moment; the closing second itself is too late."""
        return (self.opens_at is None or self.opens_at <= at) and (
            self.closes_at is None or at < self.closes_at
        )


class TestSet(models.Model):
    """One treebank of a task: participants get `raw_text`, the workers score against `gold`."""

    __test__ = False  # The name begins like a test class; pytest should not collect it.

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="test_sets")
    code = models.CharField(max_length=40, help_text="Files are called <code>.conllu.")
    language = models.CharField(max_length=60)
    language_tag = models.CharField(max_length=20, help_text="BCP 47, for the reader's browser.")
    groups = models.JSONField(default=list)
    position = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=200, blank=True)
    gold = models.CharField(max_length=200, help_text="Name in storage.")
    gold_sha256 = models.CharField(max_length=64)
    raw_text = models.CharField(max_length=200, help_text="Name in storage.")
    raw_characters = models.PositiveIntegerField(
        help_text="Size of the released input, which is all that may be told of a blind set's size."
    )

    class Meta:
        ordering = ["position", "code"]
        constraints = [models.UniqueConstraint(fields=["task", "code"], name="a_code_is_used_once_in_a_task")]

    def __str__(self) -> str:
        return f"{self.code} ({self.language})"
