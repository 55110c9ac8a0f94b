"""Standings as workers computed them, which of them are published, fixes of gold, and changes of profiles."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.competition.tracks import track_title
from sharedtask.core.public_ids import new_public_id
from sharedtask.work.lease import Leased


class StandingQuerySet(models.QuerySet["Standing"]):
    def in_force(self, phase: Phase) -> StandingQuerySet:
        """The newest of each track and ranking first."""
        in_force = self.filter(phase=phase, in_force_since__isnull=False)
        return in_force.order_by("track", "ranking", "-in_force_since", "-pk")


class Standing(models.Model):
    """A ranking with all its figures, which are in `Figures`. Never changed once computed."""

    class Ranking(models.TextChoices):
        OFFICIAL = "official", "one run per team: of its primary system, in the test phase"
        UNOFFICIAL = "unofficial", "all other runs: late runs and secondary systems"
        BEST = "best", "one run per team: the one with the highest score, official or not"
        OPEN = "open", "phases without an official ranking"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="standings")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="standings")
    track = models.CharField(
        max_length=40, blank=True, default="", help_text="Code of its track; empty in a task without tracks."
    )
    ranking = models.CharField(max_length=10, choices=Ranking.choices)
    # As it was when computed; readers see that of `signature.py`, which follows the release of gold.
    signature = models.CharField(max_length=500)
    # A hash of everything that went in: the runs with their files, gold versions, rules, seed.
    inputs_sha256 = models.CharField(max_length=64)
    table = models.JSONField(
        default=dict, help_text="Its runs, test sets and rules, but no figures: see `table.py`."
    )
    computed_at = models.DateTimeField(default=timezone.now)
    # The figures never change; but when a run is no longer withdrawn, an earlier standing is in force again.
    in_force_since = models.DateTimeField(
        null=True,
        default=timezone.now,
        help_text="The latest of a phase, track and ranking is the one in force.",
    )

    objects = StandingQuerySet.as_manager()

    class Meta:
        ordering = ["-computed_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "track", "ranking", "inputs_sha256"], name="a_standing_is_computed_once"
            )
        ]

    def __str__(self) -> str:
        track = f" in the track {self.track}" if self.track else ""
        return f"{self.ranking} standing of {self.phase}{track}"

    @property
    def track_title(self) -> str:
        """Empty in a task without tracks."""
        return track_title(self.phase.task, self.track) if self.track else ""

    @property
    def title(self) -> str:
        """Phase, track and ranking, as headings name them."""
        return ", ".join(part for part in (self.phase.title, self.track_title, self.ranking) if part)


class Figures(models.Model):
    """Every figure of a standing, and the only copy. In its own table, so that lists of standings skip it."""

    standing = models.OneToOneField(Standing, on_delete=models.CASCADE, related_name="figures")
    stored = models.BinaryField(help_text="`evaluation.ranking.details.Details`, read through `figures.py`.")

    def __str__(self) -> str:
        return f"figures of the {self.standing}"


class PairFigures(models.Model):
    """Comparisons of all pairs of systems over one scope or on one test set.

    They grow with the square of the systems, so that each column is a row of its own, read when it is shown.
    """

    standing = models.ForeignKey(Standing, on_delete=models.CASCADE, related_name="pair_figures")
    column = models.CharField(max_length=200, help_text="The name of a scope, or `set:` and a code.")
    stored = models.BinaryField(help_text="`evaluation.ranking.pairs.Pairs`, read through `figures.py`.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["standing", "column"], name="pairs_of_a_column_are_stored_once")
        ]

    def __str__(self) -> str:
        return f"pairs of {self.column} in the {self.standing}"


class StandingPart(Leased):
    """A test set of a large standing that is requested and not computed yet; then the row is deleted."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="standing_parts")
    track = models.CharField(max_length=40, blank=True, default="")
    ranking = models.CharField(max_length=10, choices=Standing.Ranking.choices)
    name = models.CharField(max_length=100, unique=True, help_text="Of its figures in storage.")
    number_of_parts = models.PositiveIntegerField(help_text="How many were requested together.")
    inputs = models.JSONField(help_text="Test set, gold and files: see `parts.py`.")

    def __str__(self) -> str:
        return f"{self.inputs['code']} of the {self.ranking} standing of {self.phase}"


class Publication(models.Model):
    """An organiser's act: from this moment on, these standings are public."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="publications")
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    note = models.TextField(blank=True, help_text="Changes since the last publication.")
    standings = models.ManyToManyField(Standing, related_name="publications")

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"publication of {self.task} at {self.at:%Y-%m-%d %H:%M} UTC"


class GoldFix(models.Model):
    """An organiser's act: corrected versions of gold were put in force together."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="gold_fixes")
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.TextField()

    class Meta:
        ordering = ["-at"]
        verbose_name_plural = "gold fixes"

    def __str__(self) -> str:
        return ", ".join(str(change) for change in self.changes.all())


class ProfileChange(models.Model):
    """An organiser's act: another version of the profile was put in force."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="profile_changes")
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.TextField()
    before = models.CharField(max_length=40, blank=True)
    after = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.task.profile} {self.before or 'without version'} → {self.after or 'without version'}"


class GoldChange(models.Model):
    """The change of a gold fix in one test set. Both versions are kept."""

    fix = models.ForeignKey(GoldFix, on_delete=models.CASCADE, related_name="changes")
    before = models.ForeignKey(GoldVersion, on_delete=models.CASCADE, related_name="+")
    after = models.ForeignKey(GoldVersion, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["after__test_set__position", "after__test_set__code"]
        constraints = [
            models.UniqueConstraint(fields=["fix", "after"], name="a_fix_changes_a_test_set_once"),
        ]

    def __str__(self) -> str:
        return f"{self.after.test_set.code} {self.after.number}"
