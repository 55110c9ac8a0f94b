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


def text_of(publication: Publication) -> str:
    """A later publication is announced with the organisers' note about what has changed."""
    task = publication.task
    if not Publication.objects.filter(task=task, at__lt=publication.at).exists():
        return f"The results of {task.title} have been published."
    text = f"The results of {task.title} have been published again"
    return shorten(f"{text}: {publication.note}") if publication.note else f"{text}."


def shorten(text: str) -> str:
    """To what a notice holds; the leaderboard has the whole note."""
    most = Notice._meta.get_field("text").max_length or len(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def publications(at: datetime) -> Iterator[NoticeEvent]:
    for publication in Publication.objects.filter(at__lte=at, at__gt=at - WINDOW).select_related("task"):
        task = publication.task
        yield NoticeEvent(
            task=task,
            kind=Notice.Kind.RESULTS,
            event=f"results:{publication.pk}",
            text=text_of(publication),
            path=reverse("leaderboard", args=[task.slug]),
            people=participants_of(task),
        )
