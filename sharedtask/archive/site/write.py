"""Write the archive of a task: from its page on, every page that has a place in it, and what pages need.

In: a task and a folder. Out: files, and how many. Pages are asked for first and written afterwards, because
only then is it known which links lead somewhere. The same results give the same bytes.
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
from sharedtask.archive.site.rewrite import rewrite
from sharedtask.archive.site.survey import survey
from sharedtask.archive.site.visit import Visitor
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.standings.standing_view import VisibleStanding, visible_standings

Say = Callable[[str], None]
STYLE = "archived.css"
FOUND, NOT_FOUND = 200, 404


class CannotArchive(Exception):
    """There are no results that everybody may see, or a page cannot be had; the message says which."""


class Archive:
    def __init__(self, task: Task, folder: Path, sentences: int, say: Say) -> None:
        shown = visible_standings(AnonymousUser(), task, at=clock.database_now())
        if not shown:
            raise CannotArchive(f"The results of {task.title} have not been published; there is nothing yet.")
        self.task, self.folder, self.say = task, folder, say
        self.addresses = Addresses(task.slug, defaults_of(shown[0]), sentences)
        self.colophon = Colophon.of(shown[0])
        self.visitor = Visitor()
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
        """Breadth first, so that the order is the same each time."""
        waiting = deque([reverse("task", args=[self.task.slug]), static(STYLE)])
        waiting.append(reverse("results", args=[self.task.slug]))
        seen = set(waiting)
        while waiting:
            address = waiting.popleft()
            for following in self.addresses.followed(self.fetch(address), address):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)

    def fetch(self, address: str) -> list[str]:
        """A page is remembered, anything else written at once, and what a visitor does not get left out."""
        answer = self.visitor.get(address)
        if answer.status == NOT_FOUND:
            return []
        if answer.status != FOUND:
            raise CannotArchive(
                f"{address} answers {answer.status}; an archive without it would be incomplete."
            )
        self.files[address] = self.addresses.file_of(address)
        if not answer.is_page:
            self.put(self.files[address], answer.content)
            return []
        self.pages[address] = answer.read().decode()
        if len(self.pages) % 50 == 0:
            self.say(f"Gathering pages: {len(self.pages)}")
        return survey(self.pages[address]).links

    def put(self, file: PurePosixPath, content: Iterator[bytes]) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as written:
            for chunk in content:
                written.write(chunk)


@dataclass(frozen=True)
class LinksOfPage:
    page: str
    addresses: Addresses
    files: Mapping[str, PurePosixPath]

    def place(self, link: str) -> str | None:
        parts = urlsplit(urljoin(self.page, link))
        if parts.scheme or parts.netloc or link.startswith("#"):
            return link
        kept = self.addresses.kept(link, self.page)
        if (
            kept is None
            or kept not in self.files
            or (kept == self.page and link.startswith("?") and len(link) > 1)
        ):
            # What differs from this page only in a way that the archive has no pages for.
            return None
        found = relative(self.files[kept], self.files[self.page])
        return f"{found}#{parts.fragment}" if parts.fragment else found

    def invites(self, link: str) -> bool:
        return self.addresses.invites(link, self.page)


def defaults_of(shown: VisibleStanding) -> frozenset[tuple[str, str]]:
    main = shown.standing.table["metrics"][0]
    return frozenset({("metric", main), ("phase", shown.phase.code), ("ranking", shown.standing.ranking)})


def write_archive(task: Task, folder: Path, *, sentences: int = 0, say: Say) -> int:
    see_to_the_package(task)
    return Archive(task, folder, sentences, say).write()


def see_to_the_package(task: Task) -> None:
    """An archive of published results without their data would be half of one: no worker is waited for."""
    at = clock.database_now()
    publication = latest_publication(task, at=at)
    if publication is not None and package_of(task, at=at) is None:
        make(publication.pk)
