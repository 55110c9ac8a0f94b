"""Teams, the people in them, and their systems."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from sharedtask.competition.models import Task
from sharedtask.core.public_ids import new_public_id


class Team(models.Model):
    """A team in one task. An organiser confirms its registration before it takes part in blind phases."""

    class Registration(models.TextChoices):
        REQUESTED = "requested"
        CONFIRMED = "confirmed"
        DECLINED = "declined"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=80)
    pseudonym = models.CharField(max_length=80, blank=True)
    affiliation = models.CharField(max_length=120, blank=True)
    is_baseline = models.BooleanField(
        default=False, help_text="Entered by the organisers for comparison, and marked as such."
    )
    registration = models.CharField(
        max_length=10, choices=Registration.choices, default=Registration.REQUESTED
    )
    registration_reason = models.TextField(
        blank=True, help_text="Why it was declined. Shown to the team, which may request registration again."
    )
    rules_version = models.PositiveIntegerField(default=0, help_text="The version accepted; 0 for none.")
    registered_at = models.DateTimeField(default=timezone.now)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="teams")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["task", "name"], name="a_team_name_is_used_once_in_a_task")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_confirmed(self) -> bool:
        return self.registration == self.Registration.CONFIRMED

    @property
    def has_accepted_rules(self) -> bool:
        """The current rules: a new version must be accepted again."""
        return self.rules_version >= self.task.rules_version

    @property
    def primary_system(self) -> System:
        return self.systems.get(is_primary=True)


class Membership(models.Model):
    """`task` repeats the team's, so that the database can enforce one team per person and task."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "task"], name="a_person_is_in_one_team_of_a_task")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self, *, at: datetime) -> InvitationQuerySet:
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=at)


class Invitation(models.Model):
    """A link that lets one person join. The token itself is not stored, only its hash."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation to {self.team}"


class System(models.Model):
    """A parser of a team. A team has one primary system; the others are ranked unofficially."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=80)
    is_primary = models.BooleanField(default=False)
    description = models.TextField(blank=True, help_text="Markdown.")
    questionnaire = models.JSONField(default=dict, blank=True, help_text="Answers by question id.")
    paper_url = models.URLField(blank=True)
    code_url = models.URLField(blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["team", "-is_primary", "name"]
        constraints = [
            models.UniqueConstraint(fields=["team", "name"], name="a_system_name_is_used_once_in_a_team"),
            models.UniqueConstraint(
                fields=["team"], condition=Q(is_primary=True), name="a_team_has_one_primary_system"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.team}"
