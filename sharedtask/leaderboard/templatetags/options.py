"""The options of a menu."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def option(value: str, label: str, *, chosen: str, default: str = "") -> SafeString:
    """The default sends an empty value, which a tidy address does not contain."""
    selected = " selected" if value == chosen else ""
    sent = "" if value == default else value
    return format_html('<option value="{}"{}>{}</option>', sent, selected, label)
