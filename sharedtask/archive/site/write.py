"""Write the archive of a task: starting from its page, every page that is archived, and static files.

In: a task and a folder. Out: the number of files written. All pages are fetched before any is written,
because only then is it known which links have a target. The same results give the same bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin, urlsplit

from django.contrib.auth.models import AnonymousUser
from django.templatetags.static import static
from django.urls import reverse

from sharedtask.archive.package.contents import latest_publication
from sharedtask.archive.package.make import make
from sharedtask.archive.package.page import package_of
from sharedtask.archive.site.addresses import Addresses, relative
from sharedtask.archive.site.colophon import Colophon
from sharedtask.archive.site.fetch import SiteClient
from sharedtask.archive.site.rewrite import rewrite
from sharedtask.archive.site.scan import scan_page
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.standings.standing_view import VisibleStanding, visible_standings

Say = Callable[[str], None]
STYLE = "archived.css"
FOUND, NOT_FOUND = 200, 404


class ArchiveError(Exception):
    """There are no public results, or a page cannot be fetched; the message says which."""


class Archive:
    def __init__(self, task: Task, folder: Path, sentences: int, say: Say) -> None:
        at = clock.database_now()
        rankings = visible_standings(AnonymousUser(), task, at=at)
        if not rankings:
            raise ArchiveError(f"The results of {task.title} have not been published.")
        self.task, self.folder, self.say = task, folder, say
        self.addresses = Addresses(task.slug, default_parameters(rankings[0]), sentences)
        self.colophon = Colophon.of(rankings[0], at=at)
        self.client = SiteClient()
        self.pages: dict[str, str] = {}
        self.files: dict[str, PurePosixPath] = {}

    def write(self) -> int:
        self.gather()
        for number, (address, page) in enumerate(self.pages.items(), start=1):
            links = LinksOfPage(address, self.addresses, self.files)
            html = rewrite(page, links=links, colophon=self.colophon.html)
            style = relative(self.files[static(STYLE)], self.files[address])
            html = html.replace("</head>", f'<link rel="stylesheet" href="{style}">\n</head>', 1)
            self.put(self.files[address], iter([html.encode()]))
            if number % 50 == 0 or number == len(self.pages):
                self.say(f"Writing pages: {number} of {len(self.pages)}")
        return len(self.files)

    def gather(self) -> None:
        """Fetch all pages breadth first, so that the order is always the same."""
        queue = deque([reverse("task", args=[self.task.slug]), static(STYLE)])
        queue.append(reverse("results", args=[self.task.slug]))
        visited = set(queue)
        while queue:
            address = queue.popleft()
            for target in self.addresses.addresses_to_follow(self.fetch(address), address):
                if target not in visited:
                    visited.add(target)
                    queue.append(target)

    def fetch(self, address: str) -> list[str]:
        """Keep a page in memory, write any other file at once, skip what visitors cannot see. Out: links."""
        response = self.client.get(address)
        if response.status == NOT_FOUND:
            return []
        if response.status != FOUND:
            raise ArchiveError(
                f"{address} returned status {response.status}; the archive would be incomplete without it."
            )
        self.files[address] = self.addresses.file_of(address)
        if not response.is_page:
            self.put(self.files[address], response.content)
            return []
        self.pages[address] = response.read().decode()
        if len(self.pages) % 50 == 0:
            self.say(f"Fetching pages: {len(self.pages)}")
        return scan_page(self.pages[address]).links

    def put(self, file: PurePosixPath, content: Iterator[bytes]) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file_on_disk:
            for chunk in content:
                file_on_disk.write(chunk)


@dataclass(frozen=True)
class LinksOfPage:
    page: str
    addresses: Addresses
    files: Mapping[str, PurePosixPath]

    def target(self, link: str) -> str | None:
        parts = urlsplit(urljoin(self.page, link))
        if parts.scheme or parts.netloc or link.startswith("#"):
            return link
        address = self.addresses.archived_address(link, self.page)
        if (
            address is None
            or address not in self.files
            or (address == self.page and link.startswith("?") and len(link) > 1)
        ):
            # In the last case, the target differs from this page only in parameters that are not archived.
            return None
        target = relative(self.files[address], self.files[self.page])
        return f"{target}#{parts.fragment}" if parts.fragment else target

    def is_call_to_action(self, link: str) -> bool:
        return self.addresses.is_call_to_action(link, self.page)


def default_parameters(first: VisibleStanding) -> frozenset[tuple[str, str]]:
    main = first.standing.table["metrics"][0]
    return frozenset({("metric", main), ("phase", first.phase.code), ("ranking", first.standing.ranking)})


def write_archive(task: Task, folder: Path, *, sentences: int = 0, say: Say) -> int:
    ensure_package(task)
    return Archive(task, folder, sentences, say).write()


def ensure_package(task: Task) -> None:
    """Write the data package now if it is missing, without waiting for a worker: the archive includes it."""
    at = clock.database_now()
    publication = latest_publication(task, at=at)
    if publication is not None and package_of(task, at=at) is None:
        make(publication.pk)
