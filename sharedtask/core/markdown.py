"""Markdown as people write it on this site → HTML that is safe to show to anybody.

In: a text that any team or organiser may have written. Out: a `SafeString`. Two locks, one behind the other:
the parser takes no HTML at all and no address but of a few kinds, and what it writes goes through a sanitiser
that knows neither scripts, styles, pictures nor forms. Pictures are left out because a picture from elsewhere
would tell its owner who reads the page.
"""

from __future__ import annotations

from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
# Deeper quotations and lists than this are nobody's prose and cost time and memory.
DEEPEST = 20
LONGEST = 100_000
# A page has its own first two levels of headings; those of a text begin below.
HIGHEST_HEADING = 3


@cache
def parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": DEEPEST})
    return made.enable(["table", "strikethrough"]).disable("image")


def to_html(text: str) -> SafeString:
    # The parser replaces NUL itself; the half of a surrogate pair cannot be encoded at all.
    text = text[:LONGEST].encode("utf-8", "replace").decode("utf-8")
    tokens = parser().parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + HIGHEST_HEADING - 1, 6)}"
    html = parser().renderer.render(tokens, parser().options, {})
    clean = nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="nofollow noopener noreferrer"
    )
    return mark_safe(clean)
