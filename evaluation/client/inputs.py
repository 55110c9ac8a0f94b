"""Download what is released of a task: each file once, checked against its SHA-256.

In: the list of inputs that the site gives, and a folder. Out: the files in it. A file that is there already
with the right contents is not downloaded again; an interrupted download leaves no file behind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from .connection import Connection
from .errors import BadRequest, SiteUnavailable
from .submissions import sha256_of
from .transport import NETWORK_ERRORS, Response

CHUNK = 256 * 1024
Progress = Callable[[int, int], None]


def download_all(
    connection: Connection, items: Sequence[Mapping[str, Any]], folder: Path, progress: Progress
) -> list[Path]:
    paths = []
    for number, item in enumerate(items):
        progress(number, len(items))
        paths.append(download(connection, item, folder))
    return paths


def download(connection: Connection, item: Mapping[str, Any], folder: Path) -> Path:
    path = folder / safe_name(str(item["name"]))
    if path.is_file() and sha256_of(path) == item["sha256"]:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    digest = hashlib.sha256()
    try:
        response = connection.request("GET", str(item["url"]), repeat=True, stream=True)
        with part.open("wb") as file:
            for chunk in received(response, path.name):
                file.write(chunk)
                digest.update(chunk)
        if digest.hexdigest() != item["sha256"]:
            raise SiteUnavailable(
                "download-damaged", f"{path.name} is not the file that the site announced. Try again."
            )
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def received(response: Response, name: str) -> Iterator[bytes]:
    """An error of the network is told apart from one of the disk."""
    try:
        yield from response.stream(CHUNK)
    except NETWORK_ERRORS as error:
        raise SiteUnavailable(
            "download-interrupted", f"The download of {name} was interrupted. Try again."
        ) from error


def safe_name(name: str) -> str:
    """A site is trusted to give data, not to choose where they are written."""
    if not name or name != PurePosixPath(name).name or name.startswith(".") or "\\" in name:
        raise BadRequest("name-unsafe", f"The site sent the file name {name!r}, which is not a plain name.")
    return name
