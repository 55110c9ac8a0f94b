"""The definition of every number, `docs/metrics.md`, as a page of the site.

In: the document, which is part of the source. Out: HTML, made once a process. Headings get the ids that the
document's own links use.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt


@cache
def definitions() -> SafeString:
    text = (settings.BASE_DIR / "docs" / "metrics.md").read_text(encoding="utf-8")
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    for opening, inside in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slugify(inside.content))
        elif opening.type in ("table_open", "fence"):
            # On a phone they scroll sideways, with the keyboard too.
            opening.attrSet("tabindex", "0")
    # The document was written by the people who wrote this code, not by visitors.
    return mark_safe(markdown.renderer.render(tokens, markdown.options, {}))
