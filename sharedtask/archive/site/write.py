"""Write the archive of a task: starting from its page, every page that is archived, and static files.

In: a task and a folder. Out: the number of files written. All pages are fetched before any is rewritten,
because only then is it known which links have a target; meanwhile they are in a temporary folder. The same
results give the same bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from django.contrib.auth.models import AnonymousUser
from django.templatetags.static import static
from django.urls import reverse

from sharedtask.archive.package.contents import latest_publication
from sharedtask.archive.package.find import package_of
from sharedtask.archive.package.make import make
from sharedtask.archive.site.addresses import Addresses, relative
from sharedtask.archive.site.colophon import Colophon
from sharedtask.archive.site.fetch import FetchedPage, SiteClient
from sharedtask.archive.site.rewrite import rewrite
from sharedtask.archive.site.scan import scan_page
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.standings.visible_standings import VisibleStanding, visible_standings

Report = Callable[[str], None]
STYLE = "archived.css"
FOUND, NOT_FOUND = 200, 404


class ArchiveError(Exception):
    """There are no public results, or a page cannot be fetched; the message says which."""


class Client(Protocol):
    def get(self, address: str) -> FetchedPage: ...


class Archive:
    """Pages wait on disk until all are fetched, so that only one of them is in memory."""

    def __init__(
        self,
        *,
        slug: str,
        folder: Path,
        addresses: Addresses,
        colophon: Colophon,
        client: Client,
        report: Report,
    ) -> None:
        self.slug, self.folder, self.report = slug, folder, report
        self.addresses, self.colophon, self.client = addresses, colophon, client
        self.pages: list[str] = []
        self.files: dict[str, PurePosixPath] = {}

    def write(self) -> int:
        self.folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".fetched-", dir=self.folder) as fetched:
            self.fetched = Path(fetched)
            self.gather()
            for number, address in enumerate(self.pages):
                self.put(self.files[address], iter([self.archived_page(number, address).encode()]))
                if number % 50 == 49 or number + 1 == len(self.pages):
                    self.report(f"Writing pages: {number + 1} of {len(self.pages)}")
        return len(self.files)

    def archived_page(self, number: int, address: str) -> str:
        waiting = self.fetched / str(number)
        page = waiting.read_text(encoding="utf-8")
        waiting.unlink()
        links = LinksOfPage(address, self.addresses, self.files)
        html = rewrite(page, links=links, colophon=self.colophon.html)
        style = relative(self.files[static(STYLE)], self.files[address])
        return html.replace("</head>", f'<link rel="stylesheet" href="{style}">\n</head>', 1)

    def gather(self) -> None:
        """Fetch all pages breadth first, so that the order is always the same."""
        queue = deque([reverse("task", args=[self.slug]), static(STYLE)])
        queue.append(reverse("results", args=[self.slug]))
        visited = set(queue)
        while queue:
            address = queue.popleft()
            for target in self.addresses.addresses_to_follow(self.fetch(address), address):
                if target not in visited:
                    visited.add(target)
                    queue.append(target)

    def fetch(self, address: str) -> list[str]:
        """Keep a page for later, write any other file at once, skip what visitors cannot see. Out: links."""
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
        page = response.read()
        (self.fetched / str(len(self.pages))).write_bytes(page)
        self.pages.append(address)
        if len(self.pages) % 50 == 0:
            self.report(f"Fetching pages: {len(self.pages)}")
        return scan_page(page.decode()).links

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
    parameters = {("metric", main), ("phase", first.phase.code), ("ranking", first.standing.ranking)}
    return frozenset(parameters | ({("track", first.standing.track)} if first.standing.track else set()))


def write_archive(task: Task, folder: Path, *, sentences: int = 0, report: Report) -> int:
    ensure_package(task)
    at = clock.database_now()
    rankings = visible_standings(AnonymousUser(), task, at=at)
    if not rankings:
        raise ArchiveError(f"The results of {task.title} have not been published.")
    archive = Archive(
        slug=task.slug,
        folder=folder,
        addresses=Addresses(task.slug, default_parameters(rankings[0]), sentences),
        colophon=Colophon.for_ranking(rankings[0], at=at),
        client=SiteClient(),
        report=report,
    )
    return archive.write()


def ensure_package(task: Task) -> None:
    """Write the data package now if it is missing, without waiting for a worker: the archive includes it."""
    at = clock.database_now()
    publication = latest_publication(task, at=at)
    if publication is not None and package_of(task, at=at) is None:
        make(publication.pk)
