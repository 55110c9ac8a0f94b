"""Account e-mails that are still to be sent. A row is deleted once its e-mail is sent."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from sharedtask.core.public_ids import new_public_id
from sharedtask.work.lease import Leased


class QueuedMailQuerySet(models.QuerySet["QueuedMail"]):
    def to_be_sent(self) -> QueuedMailQuerySet:
        """Not given up after too many attempts."""
        return self.filter(attempts__lt=QueuedMail.MAX_ATTEMPTS, losses__lt=QueuedMail.MAX_ATTEMPTS)


class QueuedMail(Leased):
    """Its links give access to an account, so address, subject and text are encrypted."""

    MAX_ATTEMPTS = 8

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    about = models.CharField(max_length=80, help_text="The kind of e-mail: the name of its template.")
    locked = models.TextField(help_text="Address, subject and texts, encrypted.")
    created_at = models.DateTimeField(default=timezone.now)

    objects = QueuedMailQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"{self.about} {self.public_id}"
