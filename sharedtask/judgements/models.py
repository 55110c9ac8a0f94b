"""Campaigns of human judgements: items, annotators, who judges what, and the results.

An item is a sentence with two trees. Trees are stored with the item, without anything that names a system, so
that nothing else is read while people judge.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.core.public_ids import new_public_id
from sharedtask.submissions.models import Run
from sharedtask.visibility.terms import CampaignStage
from sharedtask.work.lease import Leased


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def waiting_for_items(self) -> CampaignQuerySet:
        return self.filter(items_requested_at__isnull=False, drawn_at=None, problem="")


class Campaign(Leased):
    """An organiser's question to annotators: which of two trees is better?"""

    class Sampling(models.TextChoices):
        RANDOM = "random", "at random"
        BY_LENGTH = "by-length", "short and long sentences in turn"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="campaigns")
    title = models.CharField(max_length=120)
    guidelines = models.TextField(blank=True, help_text="Markdown.")
    consent = models.TextField(blank=True, help_text="What annotators agree to when they join. Markdown.")
    test_sets = models.ManyToManyField(TestSet, related_name="campaigns")
    items_per_pair = models.PositiveIntegerField(help_text="Per pair of systems and test set.")
    sampling = models.CharField(max_length=10, choices=Sampling.choices, default=Sampling.RANDOM)
    judgements_per_item = models.PositiveSmallIntegerField(default=3)
    allows_equal = models.BooleanField(default=False)
    controls = models.PositiveIntegerField(default=0, help_text="Control items per test set.")
    repeats = models.PositiveIntegerField(default=0, help_text="Items that are shown twice, per test set.")
    content_tags = models.JSONField(
        default=list, blank=True, help_text="Tags of content words; empty: the usual ones."
    )
    function_tags = models.JSONField(default=list, blank=True, help_text="Likewise of function words.")
    seed = models.PositiveIntegerField(default=1)
    closes_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    items_requested_at = models.DateTimeField(null=True, blank=True)
    drawn_at = models.DateTimeField(null=True, blank=True, help_text="When a worker had drawn its items.")
    problem = models.TextField(blank=True, help_text="Why its items could not be drawn.")
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True, help_text="Closed early by an organiser.")
    published_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.title

    @cached_property
    def phases(self) -> list[Phase]:
        """Those of the runs that are compared."""
        runs = Run.objects.filter(self.is_compared())
        return list(Phase.objects.filter(pk__in=runs.values("phase")).select_related("task"))

    def is_compared(self) -> Q:
        """Of a run: whether it is in a pair."""
        return Q(pk__in=self.pairs.values("first")) | Q(pk__in=self.pairs.values("second"))

    def stage(self, *, at: datetime) -> CampaignStage:
        if self.opened_at is None or at < self.opened_at:
            return CampaignStage.DRAFT
        closing = [moment for moment in (self.closes_at, self.closed_at) if moment is not None]
        if self.published_at is not None and self.published_at <= at:
            return CampaignStage.PUBLISHED
        return CampaignStage.CLOSED if closing and min(closing) <= at else CampaignStage.OPEN


class PairQuerySet(models.QuerySet["Pair"]):
    def counting(self) -> PairQuerySet:
        """Without those of which a run or its system has been withdrawn or rejected."""
        return self.filter(
            first__status=Run.Status.COUNTS,
            second__status=Run.Status.COUNTS,
            first__system__withdrawn_at=None,
            second__system__withdrawn_at=None,
        )


class Pair(models.Model):
    """Two runs of a campaign whose trees are compared."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pairs")
    first = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")

    objects = PairQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "first", "second"], name="a_pair_is_compared_once_in_a_campaign"
            )
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second}"


class Item(models.Model):
    """A sentence with two trees. Of a control, the second tree is damaged."""

    class Kind(models.TextChoices):
        PAIR = "pair", "two systems"
        CONTROL = "control", "control"
        REPEAT = "repeat", "repeated"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="items")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PAIR)
    number = models.PositiveIntegerField(help_text="Within the campaign, from 1.")
    pair = models.ForeignKey(Pair, null=True, blank=True, on_delete=models.CASCADE, related_name="items")
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="+")
    repeats = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    begin = models.PositiveIntegerField(help_text="Its place in the text without spaces, in bytes.")
    end = models.PositiveIntegerField()
    words = models.PositiveIntegerField()
    text = models.TextField()
    first_tree = models.TextField(help_text="CoNLL-U.")
    second_tree = models.TextField(help_text="CoNLL-U.")
    decided_by = models.JSONField(
        default=list, blank=True, help_text="What decided, according to organisers: attachment, label, root."
    )

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="an_item_number_is_used_once")
        ]

    def __str__(self) -> str:
        return f"item {self.number} of {self.campaign}"


class Annotator(models.Model):
    """A person who judges in one campaign. Everything that leaves the site names the pseudonym alone."""

    class Level(models.TextChoices):
        NATIVE = "native"
        FLUENT = "fluent"
        LEARNER = "learner"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="annotators")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="annotations"
    )
    pseudonym = models.CharField(max_length=40)
    languages = models.JSONField(default=dict, help_text="The level of each language.")
    consented_at = models.DateTimeField(null=True, blank=True)
    excluded_at = models.DateTimeField(null=True, blank=True)
    exclusion_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="a_person_joins_a_campaign_once"),
            models.UniqueConstraint(fields=["campaign", "pseudonym"], name="a_pseudonym_is_used_once"),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class AnnotatorInvitationQuerySet(models.QuerySet["AnnotatorInvitation"]):
    def usable(self, *, at: datetime) -> AnnotatorInvitationQuerySet:
        return self.filter(revoked_at=None, expires_at__gt=at).exclude(uses__gte=F("max_uses"))


class AnnotatorInvitation(models.Model):
    """A link that lets people join as annotators. Only the hash of its token is stored."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    email = models.EmailField(blank=True, help_text="If it is for one address only.")
    max_uses = models.PositiveSmallIntegerField(default=1)
    uses = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = AnnotatorInvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation to {self.campaign}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def open(self) -> AssignmentQuerySet:
        return self.filter(choice="", skip_reason="")

    def to_judge(self) -> AssignmentQuerySet:
        """Open, and not of a system that has been withdrawn or rejected meanwhile."""
        return self.open().filter(Q(item__pair=None) | Q(item__pair__in=Pair.objects.counting()))

    def judged(self) -> AssignmentQuerySet:
        return self.exclude(choice="")

    def occupying(self) -> AssignmentQuerySet:
        """Judged, or still to be judged, by annotators who count."""
        return self.filter(skip_reason="", annotator__excluded_at=None)


class Assignment(models.Model):
    """An item given to an annotator, in the order in which the trees are shown, and the judgement."""

    class Choice(models.TextChoices):
        FIRST = "first"
        SECOND = "second"
        EQUAL = "equal"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="assignments")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    position = models.PositiveIntegerField(help_text="Within the annotator's items, from 1.")
    swapped = models.BooleanField(help_text="Whether the second tree is shown first.")
    assigned_at = models.DateTimeField(default=timezone.now)
    choice = models.CharField(max_length=10, choices=Choice.choices, blank=True)
    skip_reason = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="As the browser measured it.")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["annotator", "item"], name="an_annotator_gets_an_item_once"),
            models.UniqueConstraint(fields=["annotator", "position"], name="a_position_is_used_once"),
            models.CheckConstraint(
                condition=Q(choice="") | Q(skip_reason=""), name="a_judged_item_is_not_skipped"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} for {self.annotator}"


class CampaignResultQuerySet(models.QuerySet["CampaignResult"]):
    def waiting(self) -> CampaignResultQuerySet:
        return self.exclude(inputs=F("analysed_inputs"))


class CampaignResult(Leased):
    """What the judgements of a campaign say so far, as a worker computed it."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="result")
    inputs = models.CharField(max_length=64, help_text="Hash of the judgements and gold that are current.")
    analysed_inputs = models.CharField(max_length=64, blank=True, help_text="Hash of those it was made from.")
    # As text: PostgreSQL sorts the keys of JSON, and metrics and lengths have an order.
    analyses = models.TextField(
        default="[]", blank=True, help_text="JSON: one per pair and test set, and overall."
    )
    consistency = models.JSONField(
        default=list, blank=True, help_text="Per annotator: controls, repeated items, time."
    )
    problem = models.TextField(blank=True)
    analysed_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignResultQuerySet.as_manager()

    def __str__(self) -> str:
        return f"result of {self.campaign}"

    @property
    def documents(self) -> list[dict[str, Any]]:
        stored: list[dict[str, Any]] = json.loads(self.analyses)
        return stored
