"""Notices to all participants that results have been published."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.urls import reverse

from sharedtask.standings.models import Publication
from sharedtask.teams.models import Notice
from sharedtask.teams.notices.event import NoticeEvent
from sharedtask.teams.notices.send import participants_of
from sharedtask.teams.notices.task_events import WINDOW


def publications(at: datetime) -> Iterator[NoticeEvent]:
    for publication in Publication.objects.filter(at__lte=at, at__gt=at - WINDOW).select_related("task"):
        task = publication.task
        yield NoticeEvent(
            task=task,
            kind=Notice.Kind.RESULTS,
            event=f"results:{publication.pk}",
            text=f"The results of {task.title} have been published.",
            path=reverse("leaderboard", args=[task.slug]),
            people=participants_of(task),
        )
