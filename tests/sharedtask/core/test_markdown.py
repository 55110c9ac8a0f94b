"""Markdown from strangers: whatever they write, no script, style, picture or odd address comes out."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.core.markdown import TAGS, to_html

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://elsewhere.example/spy.png)",
    "![x](javascript:alert(1))",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    '[x](https://a.example "" onmouseover=alert(1) x="")',
    '[x](https://a.example/" onmouseover="alert(1))',
    "<style>body{display:none}</style>",
    "<iframe src=https://elsewhere.example></iframe>",
    "<form action=/sign-out/><button>x</button></form>",
    "<svg/onload=alert(1)>",
    "<!--><script>alert(1)</script>-->",
    "`<b>`<b onclick=alert(1)>",
    "```html onload=alert(1)\n<script>alert(1)</script>\n```",
    "|a|b|\n|:-:|--|\n|<i onclick=x>|`<script>`|",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
]


class Reader(HTMLParser):
    """What a browser would make of it: every tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def violations(html: str) -> list[str]:
    reader = Reader()
    reader.feed(html)
    results = [f"tag {tag}" for tag, _ in reader.seen if tag not in TAGS]
    for tag, attributes in reader.seen:
        results += [f"{tag} {name}" for name in attributes if name not in {"href", "title", "start", "rel"}]
        href = attributes.get("href")
        if href is not None and re.match(r"\s*[a-z][a-z0-9+.-]*:", href, re.IGNORECASE):
            scheme = href.strip().split(":")[0].lower()
            results += [] if scheme in {"http", "https", "mailto"} else [f"address {href}"]
    return results


def test_the_check_of_these_tests_detects_unsafe_html() -> None:
    assert violations('<a href="javascript:x">') == ["address javascript:x"]
    assert violations("<img src=x>") == ["tag img", "img src"]
    assert violations('<p style="x">') == ["p style"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_harmless(text: str) -> None:
    assert violations(to_html(text)) == []


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from([*HOSTILE, "[", "](", ")", "<", ">", '"', "\n", "`", "&#x", "|", "> ", "* "]))
)
def test_hostile_pieces_in_any_order_are_harmless(pieces: list[str]) -> None:
    assert violations(to_html("".join(pieces))) == []


@settings(max_examples=200)
@given(st.text())
def test_any_text_gives_some_page(text: str) -> None:
    assert violations(to_html(text)) == []


def test_markdown_is_rendered() -> None:
    html = to_html(
        "# A title\n\nA *word* and [a link](https://example.org/a?b=1&c=2).\n\n- one\n- two\n\n~~no~~"
    )
    assert "<h3>A title</h3>" in html
    assert "<em>word</em>" in html
    assert 'href="https://example.org/a?b=1&amp;c=2"' in html
    assert 'rel="nofollow noopener noreferrer"' in html
    assert "<li>one</li>" in html
    assert "<s>no</s>" in html
    assert "<td>1</td>" in to_html("|a|\n|-|\n|1|")
    assert 'href="/tasks/demo/"' in to_html("[the task](/tasks/demo/)"), (
        "addresses of the site itself are fine"
    )
    assert "&lt;b&gt;" in to_html("<b>"), "HTML is shown and not taken"


@pytest.mark.parametrize("text", [">" * 50_000, "[" * 50_000, "*a" * 30_000, "`" * 50_000, "- " * 20_000])
def test_text_designed_to_be_slow_is_not_slow(text: str) -> None:
    start = time.perf_counter()
    to_html(text)
    assert time.perf_counter() - start < 5


def test_half_surrogate_pairs_do_not_break_a_page() -> None:
    assert to_html("a\ud800b") == "<p>a?b</p>\n"
