"""Which addresses of the site come along into an archive, and under which names.

In: a link as a page has it. Out: the address that the archive has for it, or none. Every metric of every
group, system and test set of every ranking has its page; systems are compared by the main metric. What only
sorts, filters or searches has no page, nor has anything that asks the reader to do something. Gold and
outputs are in the data package.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from django.conf import settings
from django.urls import Resolver404, ResolverMatch, resolve

RANKING = ("phase", "ranking")


@dataclass(frozen=True, kw_only=True)
class Rule:
    kept: Sequence[str] = ()
    """Parameters that make pages of their own."""
    dropped: Sequence[str] = ()
    """Parameters without which the link leads to nearly the same; any other takes the link away."""


RULES = {
    "task": Rule(),
    "leaderboard": Rule(kept=(*RANKING, "metric", "scope")),
    "leaderboard-download": Rule(kept=(*RANKING, "metric", "scope")),
    "matrix": Rule(kept=(*RANKING, "metric", "show")),
    "matrix-csv": Rule(kept=(*RANKING, "metric", "show")),
    "test-sets": Rule(kept=(*RANKING, "metric"), dropped=("sort",)),
    "test-set": Rule(kept=(*RANKING, "metric")),
    "system": Rule(kept=(*RANKING, "metric")),
    "compare": Rule(kept=(*RANKING, "with"), dropped=("metric",)),
    "definitions": Rule(),
    "standing": Rule(),
    "data-package": Rule(),
    "results": Rule(),
    "raw-text": Rule(),
    "input": Rule(),
}
OF_SENTENCES = {
    name: Rule(kept=("system",), dropped=RANKING)
    for name in ("sentences", "sentence", "sentence-svg", "sentence-conllu")
}
INVITATIONS = frozenset(
    {"account_login", "account_signup", "upload", "team", "team-new", "gold-file", "inputs", *OF_SENTENCES}
) - {"sentence"}
"""Pages whose links say nothing but that they can be opened; the link to a sentence is its text."""
ORDER = ("phase", "ranking", "metric", "scope", "show", "with", "system")
TABLES = ("leaderboard.", "matrix.")
PAIR = 2
LANGUAGE = "lang:"


@dataclass(frozen=True)
class Addresses:
    slug: str
    defaults: frozenset[tuple[str, str]]
    """What goes without saying: the main metric, and the phase and ranking that come first."""
    sentences: int = 0
    """How many sentences come along of each system on each test set."""

    def kept(self, link: str, page: str) -> str | None:
        """The address without its fragment; None for what does not come along, or lies elsewhere."""
        parts = urlsplit(urljoin(page, link))
        if parts.netloc or parts.scheme:
            return None
        if parts.path.startswith(f"/{settings.STATIC_URL.strip('/')}/"):
            return parts.path
        if parts.path == "/":
            return f"/tasks/{self.slug}/"
        match = match_of(parts.path)
        rule = self.rule(match) if match else None
        if match is None or rule is None:
            return None
        asked = [pair for pair in parse_qsl(parts.query) if pair[0] not in rule.dropped]
        if not self.names_another_ranking(asked):
            asked = [pair for pair in asked if pair[0] not in RANKING]
        asked = [pair for pair in asked if pair[0] != "metric" or pair not in self.defaults]
        if any(name not in rule.kept for name, _ in asked) or self.is_too_much(match.url_name or "", asked):
            return None
        query = urlencode(sorted(asked, key=lambda pair: (ORDER.index(pair[0]), pair[1])))
        return parts.path + (f"?{query}" if query else "")

    def rule(self, match: ResolverMatch) -> Rule | None:
        if match.kwargs.get("slug", self.slug) != self.slug:
            return None
        rules = RULES | OF_SENTENCES if self.sentences else RULES
        return rules.get(match.url_name or "")

    def followed(self, links: Sequence[str], page: str) -> list[str]:
        """The addresses that a page leads to: of a list of sentences the first, of a sentence no other."""
        found = list(dict.fromkeys(kept for link in links if (kept := self.kept(link, page)) is not None))
        single = [address for address in found if name_of(address) == "sentence"]
        most = self.sentences if name_of(page) == "sentences" else 0
        left_out = set(single[most:])
        return [address for address in found if address not in left_out]

    def invites(self, link: str, page: str) -> bool:
        """Whether the words of a link are about opening it."""
        return name_of(urljoin(page, link)) in INVITATIONS

    def names_another_ranking(self, asked: Sequence[tuple[str, str]]) -> bool:
        return any(pair not in self.defaults for pair in asked if pair[0] in RANKING)

    def is_too_much(self, name: str, asked: Sequence[tuple[str, str]]) -> bool:
        """Languages have a page by the main metric only, and systems are compared two by two."""
        names = [name for name, _ in asked]
        language = any(value.startswith(LANGUAGE) for name, value in asked if name == "scope")
        if name == "matrix" or name == "matrix-csv":
            return "metric" in names and "show" in names
        if name in OF_SENTENCES:
            return names.count("system") != 1
        return (language and "metric" in names) or (name == "compare" and names.count("with") != PAIR)

    def file_of(self, address: str) -> PurePosixPath:
        """`leaderboard/phase-test.html` for the address `/tasks/…/leaderboard/?phase=test`."""
        path, _, query = address.partition("?")
        path = path.removeprefix(f"/tasks/{self.slug}/").lstrip("/")
        state = ".".join(f"{name}-{plain(value)}" for name, value in parse_qsl(query))
        if path == "" or path.endswith("/"):
            return PurePosixPath(path, f"{state or 'index'}.html")
        file = PurePosixPath(path)
        if path.startswith(TABLES):
            # A table beside the page that shows it.
            return PurePosixPath(file.stem, f"{state or 'index'}{file.suffix}")
        return file.with_name(f"{file.stem}.{state}{file.suffix}") if state else file


def match_of(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None


def name_of(address: str) -> str:
    match = match_of(urlsplit(address).path)
    return (match.url_name if match else None) or ""


def plain(value: str) -> str:
    """As a part of a file's name on any system."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", value)


def relative(target: PurePosixPath, page: PurePosixPath) -> str:
    """From the folder of one file to another file."""
    up = [".."] * len(page.parent.parts)
    both = 0
    for one, other in zip(page.parent.parts, target.parent.parts, strict=False):
        if one != other:
            break
        both += 1
    return "/".join([*up[both:], *target.parts[both:]])
