"""Documents of the source code as pages of the site, such as `docs/metrics.md` and `docs/tasks.md`.

In: the name of a document. Out: HTML, rendered once per process. Headings have the ids that the links in the
document use.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt


@cache
def document(name: str) -> SafeString:
    text = (settings.BASE_DIR / "docs" / name).read_text(encoding="utf-8")
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    for opening, inside in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slugify(inside.content))
        elif opening.type in ("table_open", "fence"):
            # They scroll sideways on a phone; this makes it possible with the keyboard.
            opening.attrSet("tabindex", "0")
    # The document is part of this repository and not written by users.
    return mark_safe(markdown.renderer.render(tokens, markdown.options, {}))
