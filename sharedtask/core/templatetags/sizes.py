"""Sizes on pages, in the same binary units as in messages and limits."""

from django import template

from sharedtask.core.limits import readable_bytes

register = template.Library()


@register.filter
def size(number_of_bytes: int) -> str:
    return readable_bytes(number_of_bytes)
