"""Teams, the people in them, their systems, and what people are told."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from sharedtask.competition.models import Task
from sharedtask.publicid import new_public_id


class Team(models.Model):
    """A team of one task. Its registration is confirmed by an organiser before it may take part blind."""

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
        default=False, help_text="Entered by the organisers as a point of comparison, and marked as such."
    )
    registration = models.CharField(
        max_length=10, choices=Registration.choices, default=Registration.REQUESTED
    )
    rules_version = models.PositiveIntegerField(default=0, help_text="The version accepted; 0 for none.")
    extra_runs = models.PositiveIntegerField(default=0, help_text="Granted by an organiser beyond the quota.")
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
    def primary_system(self) -> System:
        return self.systems.get(is_primary=True)


class Membership(models.Model):
    """`task` repeats the team's, so that the database can hold to: one person, one team a task."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "task"], name="a_person_is_in_one_team_of_a_task")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Invitation(models.Model):
    """A link that lets one person join. The token itself is not stored, only its hash."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

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


class Notice(models.Model):
    """Something a person is told, on the site and, unless switched off, by mail."""

    class Kind(models.TextChoices):
        RECEIVED = "received", "an upload of my team was received"
        CHECKED = "checked", "a run of my team was checked"
        FAILED = "failed", "a run of my team failed or was refused"
        MESSAGE = "message", "organisers released a message to my team"
        PHASE = "phase", "a phase opens, closes or is extended"
        SURPRISE = "surprise", "surprise languages are out"
        RESULTS = "results", "results are published"
        ANNOUNCEMENT = "announcement", "organisers write to all teams"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    text = models.CharField(max_length=300)
    path = models.CharField(max_length=200, help_text="Where on the site to read more.")
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)
    wants_mail = models.BooleanField(default=True, help_text="As the person had chosen when it was written.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    # The same event tells the same person once, however often it is noticed.
    event = models.CharField(max_length=120)

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["user", "event"], name="an_event_is_told_once")]

    def __str__(self) -> str:
        return self.text


class SwitchedOff(models.Model):
    """A kind of notice that a person does not want: by mail, or not even on the site."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="switched_off")
    kind = models.CharField(max_length=20, choices=Notice.Kind.choices)
    on_site_too = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="a_kind_is_switched_off_once")]

    def __str__(self) -> str:
        return f"{self.user}: no {self.kind}"
