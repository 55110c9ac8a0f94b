"""Names in archives, as paths below a root that they cannot leave."""

from __future__ import annotations

from .members import LONGEST_PATH
from .refusal import ImageRefused, quote

LONGEST_COMPONENT = 255
MOST_COMPONENTS = 100
"""Of a path; checks take time for each of them."""


def path_below_root(name: bytes, where: str) -> bytes:
    """Without `.`, doubled and trailing slashes; empty for the root itself."""
    if name.startswith(b"/"):
        raise name_refused(name, where, "is absolute")
    components = [part for part in name.split(b"/") if part not in (b"", b".")]
    if b".." in components:
        raise name_refused(name, where, "contains “..”")
    if len(name) > LONGEST_COMPONENT:
        check_length(name, components, where)
    if len(components) > MOST_COMPONENTS:
        raise name_refused(name, where, f"has more than {MOST_COMPONENTS} parts")
    return b"/".join(components)


def check_length(name: bytes, components: list[bytes], where: str) -> None:
    if len(name) > LONGEST_PATH or max(map(len, components), default=0) > LONGEST_COMPONENT:
        raise name_refused(name, where, "is too long for a file system")


def name_refused(name: bytes, where: str, what: str) -> ImageRefused:
    return ImageRefused(
        "member-name",
        f"In {where}, the name {quote(name)} {what}.",
        "Names must be relative to the root of the image, as “docker build” writes them.",
    )
