"""Test sets with their inputs and their gold, each file in versions that are never overwritten."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from sharedtask.competition.models.task import Task
from sharedtask.core.public_ids import new_public_id


class TestSetQuerySet(models.QuerySet["TestSet"]):
    def revealed(self, *, at: datetime) -> TestSetQuerySet:
        """Those whose very existence may be known; a surprise language is not before its time."""
        return self.filter(Q(revealed_at=None) | Q(revealed_at__lte=at))

    def with_released_inputs(self, *, at: datetime) -> TestSetQuerySet:
        """Those that can be submitted: nothing may be said about a file before its input is out."""
        return self.revealed(at=at).filter(Q(inputs_released_at=None) | Q(inputs_released_at__lte=at))


class TestSet(models.Model):
    """One treebank of a task: participants get its inputs, the workers score against its gold."""

    __test__ = False  # The name begins like a test class; pytest should not collect it.

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="test_sets")
    code = models.CharField(max_length=40, help_text="Files are called <code>.conllu.")
    language = models.CharField(max_length=60)
    language_tag = models.CharField(max_length=20, help_text="BCP 47, for the reader's browser.")
    groups = models.JSONField(default=list)
    position = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=200, blank=True)
    licence = models.CharField(max_length=120, blank=True)
    revealed_at = models.DateTimeField(
        null=True, blank=True, help_text="Surprise languages: nothing of the set is known before this time."
    )
    inputs_released_at = models.DateTimeField(
        null=True, blank=True, help_text="When the inputs can be downloaded; samples come with the name."
    )
    gold_in_force = models.ForeignKey(
        "competition.GoldVersion", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )

    objects = TestSetQuerySet.as_manager()

    class Meta:
        ordering = ["position", "code"]
        constraints = [models.UniqueConstraint(fields=["task", "code"], name="a_code_is_used_once_in_a_task")]

    def __str__(self) -> str:
        return f"{self.code} ({self.language})"

    def is_revealed(self, *, at: datetime) -> bool:
        return self.revealed_at is None or self.revealed_at <= at

    def has_released_inputs(self, *, at: datetime) -> bool:
        later = [moment for moment in (self.revealed_at, self.inputs_released_at) if moment is not None]
        return all(moment <= at for moment in later)

    @property
    def raw_text(self) -> InputFile | None:
        """The newest version of the raw text; reads prefetched inputs where there are any."""
        texts = [file for file in self.inputs.all() if file.is_raw_text]
        return max(texts, key=lambda file: file.version, default=None)


class InputFile(models.Model):
    """What participants get: the raw text, or a variant with a baseline's segmentation and tags."""

    RAW = "raw"

    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="inputs")
    variant = models.SlugField(max_length=40, help_text="`raw`, or the name of the variant.")
    version = models.PositiveIntegerField(default=1)
    filename = models.CharField(max_length=120)
    is_sample = models.BooleanField(default=False, help_text="Released with the set's name, not its inputs.")
    stored = models.CharField(max_length=200, help_text="Name in storage.")
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    characters = models.PositiveIntegerField(
        default=0, help_text="Of a raw text, without white space: all that may be told of a blind set's size."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["test_set", "variant", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "variant", "version"], name="an_input_version_is_written_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.filename} version {self.version}"

    @property
    def is_raw_text(self) -> bool:
        return self.variant == self.RAW and not self.is_sample


class GoldVersion(models.Model):
    """One version of a gold file, sealed: the site has written it and cannot read it, the workers can."""

    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="gold_versions")
    number = models.PositiveIntegerField()
    sealed = models.CharField(max_length=200, help_text="Name in storage of the encrypted file.")
    sha256 = models.CharField(max_length=64, help_text="Of the plain file; as secret as the file itself.")
    keyed_hash = models.CharField(
        max_length=64, help_text="HMAC of the hash under a key of this server: may be shown before release."
    )
    note = models.TextField(blank=True, help_text="What was corrected, for organisers and, later, readers.")
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    released_at = models.DateTimeField(
        null=True, blank=True, help_text="Set by an organiser's act, never by the clock."
    )
    public_copy = models.CharField(
        max_length=200, blank=True, help_text="Name in storage of the plain copy that a worker wrote."
    )
    statistics = models.JSONField(
        default=dict, blank=True, help_text="Sentences, words and so on; secret until release."
    )

    class Meta:
        ordering = ["test_set", "number"]
        constraints = [
            models.UniqueConstraint(fields=["test_set", "number"], name="a_gold_version_is_written_once")
        ]

    def __str__(self) -> str:
        return f"{self.test_set.code} gold {self.number}"

    @property
    def is_released(self) -> bool:
        return self.released_at is not None
