"""Times on pages: in UTC, as “anywhere on earth” (UTC−12), and as the time that is left."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

from django import template

AOE = timezone(timedelta(hours=-12), "AoE")
UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))

register = template.Library()


@register.filter
def utc(moment: datetime) -> str:
    """Seconds are shown only if they are not 0: 12:00, but 23:59:59."""
    return format_time(moment, UTC)


@register.filter
def aoe(moment: datetime) -> str:
    return format_time(moment, AOE)


def format_time(moment: datetime, zone: timezone) -> str:
    local = moment.astimezone(zone)
    clock = local.strftime("%H:%M:%S" if local.second else "%H:%M")
    return f"{local.day} {local:%B %Y}, {clock}"


@register.filter
def seconds_until(moment: datetime, at: datetime) -> int:
    """The start value for the countdown script of the page."""
    return max(0, math.ceil((moment - at).total_seconds()))


@register.filter
def until(moment: datetime, at: datetime) -> str:
    """The two largest units, `3 days 4 hours`, in the same words as the script."""
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
