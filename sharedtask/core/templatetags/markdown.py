"""`{{ task.rules|markdown }}`: the one way in which a page shows Markdown."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from sharedtask.core.markdown import to_html

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    return to_html(text)
