"""A shared task: its description, its scoring, its organisers."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.urls import reverse


class Task(models.Model):
    class MissingPolicy(models.TextChoices):
        ZERO = "zero", "a missing or invalid file counts as 0"
        EXCLUDE = "exclude", "averages are taken over the submitted files"

        @property
        def consequence(self) -> str:
            """What becomes of a missing or invalid file in an average."""
            return "counted as 0" if self is type(self).ZERO else "not counted"

    class WithdrawnPolicy(models.TextChoices):
        HIDDEN = "hidden", "a withdrawn system is not shown"
        UNRANKED = "unranked", "a withdrawn system is shown without a rank"

    class OpenPolicy(models.TextChoices):
        LATEST = "latest", "the last run received"
        BEST = "best", "the run with the best average"
        MARKED = "marked", "the run that the team has marked, else the last one received"

    class Unit(models.TextChoices):
        SENTENCE = "sentence"
        DOCUMENT = "document"

    class Sampling(models.TextChoices):
        NESTED = "nested", "each training sample contains the smaller ones"
        INDEPENDENT = "independent", "every training sample is drawn by itself"

    class SignificanceTest(models.TextChoices):
        TWO_SIDED = "two-sided"
        ONE_SIDED = "one-sided"

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=120)
    summary = models.CharField(max_length=300, help_text="One sentence for the list of tasks.")
    description = models.TextField(help_text="Markdown.")
    rules = models.TextField(blank=True, help_text="Markdown. Teams accept a version of the rules.")
    rules_version = models.PositiveIntegerField(default=1)
    data_licence = models.TextField(blank=True, help_text="Markdown: the terms of use of the data.")
    faq = models.TextField(blank=True, help_text="Markdown: frequently asked questions.")
    downloads = models.JSONField(
        default=list,
        blank=True,
        help_text="Data to download elsewhere: kind, title, url, licence and note of each.",
    )
    citation = models.TextField(blank=True, help_text="How to cite the task and its results.")
    contact = models.EmailField(blank=True)
    organisers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="organised_tasks", blank=True)

    profile = models.CharField(
        max_length=40, help_text="Evaluation profile: the metrics and how they are computed."
    )
    profile_version = models.CharField(
        max_length=40,
        blank=True,
        help_text="The version in force, of profiles that have versions; changed by an organiser only.",
    )
    scorer = models.JSONField(
        default=dict,
        blank=True,
        help_text="The organisers' own scorer in force: number, hash, declaration.",
    )
    newest_scorer = models.JSONField(
        default=dict,
        blank=True,
        help_text="Its newest usable version, which is in force once an organiser says so.",
    )
    reader = models.CharField(
        max_length=20, blank=True, help_text="The format of the files, if it is not that of the profile."
    )
    extra_metrics = models.JSONField(
        default=list, blank=True, help_text="Metrics that the task adds to those of the profile."
    )
    verbs = models.JSONField(
        default=list, blank=True, help_text="Tags of words that are predicates; VERB if there are none."
    )
    given_columns = models.JSONField(
        default=list, blank=True, help_text="Columns that the input has besides given tokens."
    )
    main_metrics = models.JSONField(default=list, help_text="Each has its own ranking.")
    tracks = models.JSONField(
        default=list,
        blank=True,
        help_text="Rankings of their own over the same test sets, as in task.yaml; see `tracks.py`.",
    )
    missing_policy = models.CharField(
        max_length=10, choices=MissingPolicy.choices, default=MissingPolicy.ZERO
    )
    test_sets_total = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Test sets of the complete task; pages and downloads say how many of them are here.",
    )
    groups = models.JSONField(default=list, help_text="Names of the groups, in column order.")
    baselines_ranked = models.BooleanField(default=True)
    server_baselines = models.JSONField(
        default=list,
        blank=True,
        help_text="Baselines that the server makes for tracks with given tokens and trees: LB, RB, random.",
    )
    withdrawn_policy = models.CharField(
        max_length=10, choices=WithdrawnPolicy.choices, default=WithdrawnPolicy.UNRANKED
    )
    open_policy = models.CharField(
        max_length=10,
        choices=OpenPolicy.choices,
        default=OpenPolicy.LATEST,
        help_text="Which run of each system is ranked in phases that show scores at once.",
    )
    pseudonymous = models.BooleanField(
        default=False, help_text="Teams are shown under their pseudonyms until results are published."
    )
    reveals_above_zero = models.BooleanField(
        default=False,
        help_text="The 2017 rule: in a blind phase, teams learn whether each file scored above zero. "
        "This is an oracle: a team can infer gold labels from the answers, one at a time.",
    )

    resampling_unit = models.CharField(
        max_length=10,
        choices=Unit.choices,
        default=Unit.DOCUMENT,
        help_text="Documents are drawn in test sets that mark at least 20 of them.",
    )
    significance_test = models.CharField(
        max_length=10,
        choices=SignificanceTest.choices,
        default=SignificanceTest.TWO_SIDED,
        help_text="One-sided p-values are the convention of CoNLL 2017.",
    )
    replicates = models.PositiveIntegerField(default=1000, validators=[MinValueValidator(1)])
    seed = models.PositiveIntegerField(default=2017)
    training_samples = models.CharField(
        max_length=11,
        choices=Sampling.choices,
        default=Sampling.NESTED,
        help_text="How samples are drawn from the training data for learning curves.",
    )

    error_classes = models.TextField(
        blank=True, help_text="A file of error classes; empty: those for Universal Dependencies."
    )

    # What a run of a team's software may use; organisers can grant a team more.
    software_cpus = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    software_memory_megabytes = models.PositiveIntegerField(default=4096)
    software_minutes = models.PositiveIntegerField(default=120, help_text="Of one container.")
    software_output_megabytes = models.PositiveIntegerField(default=512)
    software_storage_megabytes = models.PositiveIntegerField(
        default=20_480, help_text="All stored images of one team together."
    )
    software_experiments_per_day = models.PositiveIntegerField(
        default=4, help_text="Experiments that a team may start per UTC day; each has many executions."
    )
    software_per_test_set = models.BooleanField(
        default=False, help_text="A container per test set instead of one for all test sets of a phase."
    )

    results_published_at = models.DateTimeField(
        null=True, blank=True, help_text="Set when an organiser publishes results, never automatically."
    )

    class Meta:
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.slug])
