"""The announcements of a task as an Atom feed, for readers and programs that follow it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.core.site_address import absolute
from sharedtask.core.templatetags.markdown import markdown

MAX_ENTRIES = 50


@require_safe
def announcements_feed(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    page = absolute(reverse("announcements", args=[slug]))
    feed = Atom1Feed(
        title=f"{task.title}: announcements",
        link=page,
        description=task.summary,
        language="en",
        feed_url=absolute(reverse("announcements-feed", args=[slug])),
    )
    for announcement in task.announcements.filter(at__lte=clock.database_now())[:MAX_ENTRIES]:
        address = f"{page}#announcement-{announcement.pk}"
        feed.add_item(
            title=announcement.subject,
            link=address,
            description=markdown(announcement.text),
            unique_id=address,
            pubdate=announcement.at,
            updateddate=announcement.at,
        )
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)
