"""Write the archive of a task: from its page on, every page that has a place in it, and what pages need.

In: a task and a folder. Out: files, and how many. Pages are asked for first and written afterwards, because
only then is it known which links lead somewhere. The same results give the same bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin, urlsplit

from django.contrib.auth.models import AnonymousUser
from django.templatetags.static import static
from django.urls import reverse

from sharedtask import clock
from sharedtask.archive.site.addresses import Addresses, relative
from sharedtask.archive.site.colophon import Colophon
from sharedtask.archive.site.rewrite import rewrite
from sharedtask.archive.site.survey import survey
from sharedtask.archive.site.visit import Visitor
from sharedtask.competition.models import Task
from sharedtask.leaderboard.on_show import OnShow, on_show

Say = Callable[[str], None]
STYLE = "archived.css"


class NothingToArchive(Exception):
    """The task has no results that everybody may see."""


class Archive:
    def __init__(self, task: Task, folder: Path, say: Say) -> None:
        shown = on_show(AnonymousUser(), task, at=clock.database_now())
        if not shown:
            raise NothingToArchive(
                f"The results of {task.title} have not been published; there is nothing yet."
            )
        self.task, self.folder, self.say = task, folder, say
        self.addresses = Addresses(task.slug, defaults_of(shown[0]))
        self.colophon = Colophon.of(shown[0])
        self.visitor = Visitor()
        self.pages: dict[str, str] = {}
        self.files: dict[str, PurePosixPath] = {}
        self.absent: set[str] = set()

    def write(self) -> int:
        self.gather()
        for number, (address, page) in enumerate(self.pages.items(), start=1):
            html = rewrite(page, places=self.places(address), colophon=self.colophon.html)
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
            for link in self.fetch(address):
                kept = self.addresses.kept(link, address)
                if kept is not None and kept not in seen:
                    seen.add(kept)
                    waiting.append(kept)

    def fetch(self, address: str) -> Iterator[str]:
        """A page is remembered, anything else written at once, and what a visitor does not get left out."""
        answer = self.visitor.get(address)
        if answer.status != 200:
            self.absent.add(address)
            return
        self.files[address] = self.addresses.file_of(address)
        if not answer.is_page:
            self.put(self.files[address], answer.content)
            return
        self.pages[address] = answer.read().decode()
        if len(self.pages) % 50 == 0:
            self.say(f"Gathering pages: {len(self.pages)}")
        yield from survey(self.pages[address]).links

    def places(self, page: str) -> Callable[[str], str | None]:
        def place(link: str) -> str | None:
            parts = urlsplit(urljoin(page, link))
            if parts.scheme or parts.netloc or link.startswith("#"):
                return link
            kept = self.addresses.kept(link, page)
            if kept not in self.files or (kept == page and link.startswith("?") and len(link) > 1):
                # What differs from this page only in a way that the archive has no pages for.
                return None
            found = relative(self.files[kept], self.files[page])
            return f"{found}#{parts.fragment}" if parts.fragment else found

        return place

    def put(self, file: PurePosixPath, content: Iterator[bytes]) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as written:
            for chunk in content:
                written.write(chunk)


def defaults_of(shown: OnShow) -> frozenset[tuple[str, str]]:
    main = shown.standing.table["metrics"][0]
    return frozenset({("metric", main), ("phase", shown.phase.code), ("track", shown.standing.track)})


def write_archive(task: Task, folder: Path, *, say: Say) -> int:
    return Archive(task, folder, say).write()
