"""Decide which addresses of the site are archived, and under which file names.

In: a link of a page. Out: the address that is archived for it, or None. Every combination of ranking, metric
and group, system or test set has a page; systems are compared by the main metric. Pages that only sort,
filter or search are not archived, nor are pages on which the reader does something. Gold and outputs are in
the data package.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from django.conf import settings
from django.urls import Resolver404, ResolverMatch, resolve

RANKING = ("phase", "track", "ranking")


@dataclass(frozen=True, kw_only=True)
class Rule:
    parameters: Sequence[str] = ()
    """Query parameters whose values have their own pages."""
    ignored: Sequence[str] = ()
    """Parameters that are removed from the link; with any other parameter it is not archived."""


RULES = {
    "task": Rule(),
    "data": Rule(),
    "faq": Rule(),
    "leaderboard": Rule(parameters=(*RANKING, "metric", "scope")),
    "leaderboard-download": Rule(parameters=(*RANKING, "metric", "scope")),
    "matrix": Rule(parameters=(*RANKING, "metric", "show")),
    "matrix-csv": Rule(parameters=(*RANKING, "metric", "show")),
    "systems": Rule(parameters=RANKING, ignored=("metric",)),
    "tables": Rule(parameters=RANKING, ignored=("metric",)),
    "table-download": Rule(parameters=RANKING),
    "bibtex": Rule(parameters=RANKING, ignored=("metric",)),
    "test-sets": Rule(parameters=(*RANKING, "metric"), ignored=("sort",)),
    "test-set": Rule(parameters=(*RANKING, "metric")),
    "system": Rule(parameters=(*RANKING, "metric")),
    "compare": Rule(parameters=(*RANKING, "with"), ignored=("metric",)),
    # Error classes are the same for all metrics.
    "system-errors": Rule(parameters=RANKING, ignored=("metric",)),
    "test-set-errors": Rule(parameters=RANKING, ignored=("metric",)),
    "compare-errors": Rule(parameters=(*RANKING, "with"), ignored=("metric",)),
    "judgements": Rule(),
    "judgement-result": Rule(parameters=("set",), ignored=("sort",)),
    "judgement-download": Rule(),
    "judged-item": Rule(),
    "experiments": Rule(),
    "experiment": Rule(parameters=("set",), ignored=("sort",)),
    "experiment-download": Rule(parameters=("set",), ignored=("sort",)),
    "compare-experiments": Rule(parameters=("set",), ignored=("sort",)),
    "compared-experiments-download": Rule(parameters=("set",), ignored=("sort",)),
    "definitions": Rule(),
    "standing": Rule(),
    "data-package": Rule(),
    "results": Rule(),
    "raw-text": Rule(),
    "input": Rule(),
}
OF_SENTENCES = {
    name: Rule(parameters=("system",), ignored=RANKING)
    for name in ("sentences", "sentence", "sentence-svg", "sentence-graphs", "sentence-conllu")
}
CALLS_TO_ACTION = frozenset(
    {"account_login", "account_signup", "upload", "team", "team-new", "gold-file", "inputs", "docs-page"}
    | {"gold-reference", "curves", "series", "experiment-sentences", *OF_SENTENCES}
) - {"sentence"}
"""Pages whose link texts only invite to open them. The link text of a sentence is the sentence itself."""
ORDER = ("phase", "track", "ranking", "metric", "scope", "show", "with", "system", "set")
TABLES = ("leaderboard.", "matrix.")
PAIR = 2
LANGUAGE = "lang:"


@dataclass(frozen=True)
class Addresses:
    slug: str
    defaults: frozenset[tuple[str, str]]
    """Default parameters: the main metric, and the first phase, track and ranking."""
    sentences: int = 0
    """Number of archived sentences per system and test set."""

    def archived_address(self, link: str, page: str) -> str | None:
        """The address without its fragment; None if it is not archived or not on this site."""
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
        query_pairs = [pair for pair in parse_qsl(parts.query) if pair[0] not in rule.ignored]
        if not self.has_other_ranking(query_pairs):
            query_pairs = [pair for pair in query_pairs if pair[0] not in RANKING]
        if not self.has_other_track(query_pairs):
            query_pairs = [pair for pair in query_pairs if pair[0] != "metric" or pair not in self.defaults]
        if any(name not in rule.parameters for name, _ in query_pairs) or self.is_excluded(
            match.url_name or "", query_pairs
        ):
            return None
        query = urlencode(sorted(query_pairs, key=lambda pair: (ORDER.index(pair[0]), pair[1])))
        return parts.path + (f"?{query}" if query else "")

    def rule(self, match: ResolverMatch) -> Rule | None:
        if match.kwargs.get("slug", self.slug) != self.slug:
            return None
        rules = RULES | OF_SENTENCES if self.sentences else RULES
        return rules.get(match.url_name or "")

    def addresses_to_follow(self, links: Sequence[str], page: str) -> list[str]:
        """The archived targets of a page: from a list the first sentences, from a sentence no other one."""
        resolved = [self.archived_address(link, page) for link in links]
        addresses = list(dict.fromkeys(address for address in resolved if address is not None))
        sentences = [address for address in addresses if name_of(address) == "sentence"]
        limit = self.sentences if name_of(page) == "sentences" else 0
        excluded = set(sentences[limit:])
        return [address for address in addresses if address not in excluded]

    def is_call_to_action(self, link: str, page: str) -> bool:
        """Whether the text of the link only invites to open it."""
        return name_of(urljoin(page, link)) in CALLS_TO_ACTION

    def has_other_ranking(self, query_pairs: Sequence[tuple[str, str]]) -> bool:
        return any(pair not in self.defaults for pair in query_pairs if pair[0] in RANKING)

    def has_other_track(self, query_pairs: Sequence[tuple[str, str]]) -> bool:
        """Another track has another default metric."""
        return any(pair not in self.defaults for pair in query_pairs if pair[0] == "track")

    def is_excluded(self, name: str, query_pairs: Sequence[tuple[str, str]]) -> bool:
        """Languages have pages for the main metric only, and systems are compared in pairs."""
        names = [name for name, _ in query_pairs]
        language = any(value.startswith(LANGUAGE) for name, value in query_pairs if name == "scope")
        if name == "matrix" or name == "matrix-csv":
            return "metric" in names and "show" in names
        if name in OF_SENTENCES:
            return names.count("system") != 1
        return (language and "metric" in names) or (
            name in ("compare", "compare-errors") and names.count("with") != PAIR
        )

    def file_of(self, address: str) -> PurePosixPath:
        """`leaderboard/phase-test.html` for the address `/tasks/…/leaderboard/?phase=test`."""
        path, _, query = address.partition("?")
        path = path.removeprefix(f"/tasks/{self.slug}/").lstrip("/")
        state = ".".join(f"{name}-{plain(value)}" for name, value in parse_qsl(query))
        if path == "" or path.endswith("/"):
            return PurePosixPath(path, f"{state or 'index'}.html")
        file = PurePosixPath(path)
        if path.startswith(TABLES):
            # Next to the page that shows the table.
            return PurePosixPath(file.stem, f"{state or 'index'}{file.suffix}")
        return file.with_name(f"{file.stem}.{state}{file.suffix}") if state else file


@lru_cache(maxsize=20_000)
def match_of(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None


def name_of(address: str) -> str:
    match = match_of(urlsplit(address).path)
    return (match.url_name if match else None) or ""


def plain(value: str) -> str:
    """Usable in a file name on any system."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", value)


def relative(target: PurePosixPath, page: PurePosixPath) -> str:
    """The relative link from one file to another."""
    up = [".."] * len(page.parent.parts)
    shared = 0
    for own, other in zip(page.parent.parts, target.parent.parts, strict=False):
        if own != other:
            break
        shared += 1
    return "/".join([*up[shared:], *target.parts[shared:]])
