"""Times for people: in UTC, as “anywhere on earth”, twelve hours behind it, and how long it is until then."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

from django import template

AOE = timezone(timedelta(hours=-12), "AoE")
UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))

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


@register.filter
def seconds_until(moment: datetime, at: datetime) -> int:
    """What the page's script counts down from."""
    return max(0, math.ceil((moment - at).total_seconds()))


@register.filter
def until(moment: datetime, at: datetime) -> str:
    """The two largest units, `3 days 4 hours`, as the script words them too."""
    seconds = seconds_until(moment, at)
    first = next((place for place, (_, size) in enumerate(UNITS) if seconds >= size), None)
    if first is None:
        return "no time"
    words = []
    for name, size in UNITS[first : first + 2]:
        number, seconds = divmod(seconds, size)
        if number:
            words.append(f"{number} {name}{'' if number == 1 else 's'}")
    return " ".join(words)
