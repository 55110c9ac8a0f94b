"""A crawler that follows every link and form of the site with GET, and guesses every address besides.

In: a test client, signed in or not. Out: an `Answer` for each address it came to, with every byte of it:
status, headers, cookies and body.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

from tests.sharedtask.support.reading import nothing_written

ADDRESSES = frozenset({"href", "src", "action", "formaction", "hx-get", "poster", "data"})
SKIPPED = ("/static/", "/admin/")
MOST = 1200
"""A published miniature task has about 900 pages, files and answers of the API."""
VALUES = 2
"""How many values of each parameter are followed on each page; all combinations of them would have no end."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    head: bytes
    body: bytes

    @property
    def everything(self) -> bytes:
        return b"%d\n" % self.status + self.head + b"\n" + self.body


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ADDRESSES and value]


def ask(client: Client, url: str, **extra: Any) -> Answer:
    with nothing_written():
        return answer_of(client.get(url, **extra))


def answer_of(response: Any) -> Answer:
    body = b"".join(response.streaming_content) if response.streaming else response.content
    head = [f"{name}: {value}" for name, value in sorted(response.items())]
    head += [f"Set-Cookie: {morsel.OutputString()}" for _, morsel in sorted(response.cookies.items())]
    return Answer(status=response.status_code, head="\n".join(head).encode(), body=body)


def links_in(url: str, answer: Answer) -> Iterator[str]:
    text = answer.body.decode("utf-8", "replace")
    parser = Links()
    if b"text/html" in answer.head:
        parser.feed(text)
    for line in answer.head.decode().splitlines():
        if line.startswith(("Location: ", "HX-Redirect: ")):
            parser.found.append(line.split(": ", 1)[1])
    for link in parser.found:
        target = urldefrag(urljoin(url, link)).url
        parts = urlsplit(target)
        if not parts.netloc and parts.scheme in ("", "http") and not target.startswith(SKIPPED):
            yield target


def crawl(client: Client, beginnings: Iterable[str] = ("/",), *, values: int = VALUES) -> dict[str, Answer]:
    return crawl_by(lambda url: ask(client, url), beginnings, values=values)


def crawl_by(
    ask: Callable[[str], Answer], beginnings: Iterable[str] = ("/",), *, values: int = VALUES
) -> dict[str, Answer]:
    """Breadth first; the same pages give the same order. So many `values` of each parameter are followed."""
    answers: dict[str, Answer] = {}
    waiting = list(beginnings)
    asked = Asked(values)
    while waiting:
        url = waiting.pop(0)
        # The page to sign in is the same wherever its reader is sent afterwards.
        path = url.split("?next=")[0]
        if url in answers or (path != url and path in answers) or url.startswith(SKIPPED):
            continue
        assert len(answers) < MOST, f"the site has no end: {url}"
        answers[url] = ask(url)
        waiting += [link for link in links_in(url, answers[url]) if asked.first_time(link)]
    return answers


def found_in(word: str, answers: Mapping[str, Answer]) -> list[str]:
    """Addresses whose answer has the word, in any case; the address itself may be echoed."""
    needle = word.lower().encode()
    return [
        url
        for url, answer in answers.items()
        if needle in answer.everything.lower().replace(url.lower().encode(), b"")
    ]


class Asked:
    """Which values of which parameters each page was asked with: metrics, orders, filters of results."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[tuple[str, str], set[str]] = defaultdict(set)

    def first_time(self, url: str) -> bool:
        """Whether the address has no query, or one with a value that was not asked for before."""
        parts = urlsplit(url)
        is_new = not parts.query
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            values = self._values[parts.path, name]
            if value not in values and len(values) < self._most:
                values.add(value)
                is_new = True
        return is_new


def guesses(values: Mapping[str, Sequence[str]]) -> list[str]:
    """Every address that the site has, its blanks filled with what the tester knows and others should not.

    `values` are looked up by the word before the blank (`runs/<slug:public_id>/`), else by the blank's name.
    """
    items = []
    for route in routes(get_resolver().url_patterns):
        blanks = re.findall(r"(?:(\w+)/)?(<(?:\w+:)?(\w+)>)", route)
        fillings = [values.get(before) or values.get(name) or ["nonsense"] for before, _, name in blanks]
        for chosen in itertools.product(*fillings):
            url = "/" + route
            for (_, blank, _), value in zip(blanks, chosen, strict=True):
                url = url.replace(blank, value, 1)
            items.append(url)
    return [url for url in dict.fromkeys(items) if not url.startswith(SKIPPED)]


def routes(patterns: Iterable[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        if not isinstance(pattern.pattern, RoutePattern):
            continue
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route
