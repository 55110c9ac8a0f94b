"""Times for people: in UTC, and as “anywhere on earth”, twelve hours behind it, as calls for papers say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from django import template

AOE = timezone(timedelta(hours=-12), "AoE")

register = template.Library()


@register.filter
def utc(moment: datetime) -> str:
    """Seconds are shown only where there are some: 12:00, but 23:59:59."""
    return written(moment, UTC)


@register.filter
def aoe(moment: datetime) -> str:
    return written(moment, AOE)


def written(moment: datetime, zone: timezone) -> str:
    there = moment.astimezone(zone)
    clock = there.strftime("%H:%M:%S" if there.second else "%H:%M")
    return f"{there.day} {there:%B %Y}, {clock}"
