"""Test sets with their inputs and gold. Versions of files are never overwritten."""

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
        """Those whose existence may be known: all but surprise sets that are not revealed yet."""
        return self.filter(Q(revealed_at=None) | Q(revealed_at__lte=at))

    def with_released_inputs(self, *, at: datetime) -> TestSetQuerySet:
        """Those that can be submitted: nothing is said about an output before its input is released."""
        return self.revealed(at=at).filter(Q(inputs_released_at=None) | Q(inputs_released_at__lte=at))


class TestSet(models.Model):
    """One treebank of a task: participants get its inputs, workers score outputs against its gold."""

    __test__ = False  # Keeps pytest from collecting it as a test class.

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
        null=True, blank=True, help_text="For surprise sets: nothing about the set is shown before this time."
    )
    inputs_released_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the inputs can be downloaded; samples are released with the name.",
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
        return self.released_at is None or self.released_at <= at

    @property
    def released_at(self) -> datetime | None:
        """When its name and its inputs are both public; None if they always were."""
        times = [time for time in (self.revealed_at, self.inputs_released_at) if time is not None]
        return max(times, default=None)

    @property
    def given_input(self) -> InputFile | None:
        """The newest version of what outputs are checked against; uses prefetched inputs."""
        files = [file for file in self.inputs.all() if file.is_given]
        return max(files, key=lambda file: file.version, default=None)

    @property
    def training_file(self) -> InputFile | None:
        """The newest version of its training data; uses prefetched inputs."""
        files = [file for file in self.inputs.all() if file.variant == InputFile.TRAINING]
        return max(files, key=lambda file: file.version, default=None)


class InputFile(models.Model):
    """A file for participants: the raw text or the given tokens, or a variant with more annotation."""

    RAW = "raw"
    TOKENS = "tokens"
    TRAINING = "train"

    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="inputs")
    variant = models.SlugField(
        max_length=40, help_text="`raw`, `tokens`, `train`, or the name of the variant."
    )
    version = models.PositiveIntegerField(default=1)
    filename = models.CharField(max_length=120)
    is_sample = models.BooleanField(
        default=False, help_text="Released with the name of the set, before its inputs."
    )
    stored = models.CharField(max_length=200, help_text="Name in storage.")
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    characters = models.PositiveIntegerField(
        default=0,
        help_text="Without white space, of raw texts only; the only public size of a blind test set.",
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

    @property
    def is_given(self) -> bool:
        """What every output is checked against: the raw text, or the tokens where the task gives them."""
        return self.variant in (self.RAW, self.TOKENS) and not self.is_sample

    @property
    def title(self) -> str:
        """As pages name it."""
        if self.variant == self.TRAINING:
            return "training data"
        return f"{self.variant} (sample)" if self.is_sample else self.variant


class GoldVersion(models.Model):
    """One version of a gold file, sealed: only workers can decrypt it, the site itself cannot."""

    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="gold_versions")
    number = models.PositiveIntegerField()
    sealed = models.CharField(max_length=200, help_text="Name in storage of the encrypted file.")
    sha256 = models.CharField(
        max_length=64, help_text="SHA-256 of the decrypted file; as secret as the file."
    )
    references_sha256 = models.CharField(
        max_length=64,
        blank=True,
        help_text="One hash for the file and its further references; empty if it has none.",
    )
    keyed_hash = models.CharField(
        max_length=64, help_text="HMAC of the hash with a key of this server; may be shown before release."
    )
    note = models.TextField(
        blank=True, help_text="What was corrected; shown to organisers, and to readers after release."
    )
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    released_at = models.DateTimeField(
        null=True, blank=True, help_text="Set when an organiser releases it, never automatically."
    )
    public_copy = models.CharField(
        max_length=200, blank=True, help_text="Name in storage of the decrypted copy written by a worker."
    )
    statistics = models.JSONField(
        default=dict, blank=True, help_text="Numbers of sentences, words etc.; secret until release."
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

    @property
    def combined_sha256(self) -> str:
        """What signatures contain: the hash of the file, or of all its references."""
        return self.references_sha256 or self.sha256

    @property
    def has_references(self) -> bool:
        return bool(self.references_sha256)

    @property
    def stored_names(self) -> list[str]:
        """Of all its files in storage."""
        names = [self.sealed, self.public_copy]
        for reference in self.references.all() if self.has_references else ():
            names += [reference.sealed, reference.public_copy]
        return [name for name in names if name]


class GoldReference(models.Model):
    """A further reference of a version of gold: another annotation of the same tokens, sealed like gold.

    It is released with its version: a version with a public copy has public copies of all its references.
    """

    gold = models.ForeignKey(GoldVersion, on_delete=models.CASCADE, related_name="references")
    name = models.CharField(max_length=40)
    sealed = models.CharField(max_length=200, help_text="Name in storage of the encrypted file.")
    sha256 = models.CharField(
        max_length=64, help_text="SHA-256 of the decrypted file; as secret as the file."
    )
    public_copy = models.CharField(
        max_length=200, blank=True, help_text="Name in storage of the decrypted copy written by a worker."
    )

    class Meta:
        ordering = ["gold", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["gold", "name"], name="a_reference_of_gold_has_its_own_name")
        ]

    def __str__(self) -> str:
        return f"{self.gold}, reference {self.name}"
