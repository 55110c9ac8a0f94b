"""What the layers of an image contain, as far as it decides where their members end up.

In: the members of each layer in order, the lowest layer first. A member that would be created through a link,
that deletes something it must not, or that could mean two things is refused; engines, and even the storage
drivers of one engine, treat such members differently.
"""

from __future__ import annotations

from enum import Enum

from .limits import ImageLimits
from .members import DIRECTORY, HARD_LINK, SYMBOLIC_LINK, Member
from .paths import path_below_root
from .refusal import ImageRefused, quote
from .tar_headers import REPACK

WHITEOUT = b".wh."
"""A file of this prefix deletes the file of that name in the layers below."""
OPAQUE = b".wh..wh..opq"
"""A file of this name hides everything that the layers below have in its directory."""

MOUNT_POINTS = frozenset({b"input", b"output", b"tmp", b"run", b"var", b"var/tmp", b"dev", b"proc", b"sys"})
"""Directories of every container, on which engines mount file systems."""


class Kind(Enum):
    FILE = "file"
    DIRECTORY = "directory"
    SYMBOLIC_LINK = "symbolic link"
    WHITEOUT = "whiteout"


class LayerTree:
    def __init__(self, limits: ImageLimits) -> None:
        self.limits = limits
        self.where = ""
        self.members = 0
        self.name_bytes = 0
        self.kinds: dict[bytes, Kind] = {}
        """Of every path in the present layer, directories that are only implied included."""
        self.deleted: set[bytes] = set()
        """Paths that the present layer deletes from those below."""
        self.links_below: set[bytes] = set()
        """Symbolic links of the layers below."""

    def begin_layer(self, where: str) -> None:
        self.where = where
        self.kinds, self.deleted = {}, set()

    def end_layer(self) -> None:
        for path in self.deleted & self.kinds.keys():
            raise self.whiteout_refused(path, "it is deleted and created in the same layer")
        links = {path for path, kind in self.kinds.items() if kind is Kind.SYMBOLIC_LINK}
        self.links_below -= self.kinds.keys()
        self.links_below -= self.deleted
        self.links_below |= links

    def add(self, member: Member) -> None:
        self.members += 1
        if self.members > self.limits.members:
            raise ImageRefused(
                "too-many-members",
                f"The layers have more than {self.limits.members:,} files, directories and links.",
                "Remove from the image what the system does not need, such as caches and documentation.",
            )
        path = path_below_root(member.name, self.where)
        if not path and member.type != DIRECTORY:
            raise self.nameless(member.name)
        parent = path.rpartition(b"/")[0]
        if parent and self.kinds.get(parent) is not Kind.DIRECTORY:
            self.add_implied(parent)
        if path:
            self.record(path, self.kind_of(member, path))

    def add_implied(self, directory: bytes) -> None:
        """A directory without a member of its own; none of its parents may be anything else."""
        implied = []
        while directory and (kind := self.kinds.get(directory)) is not Kind.DIRECTORY:
            if kind is not None or directory in self.links_below:
                raise self.through_link(directory)
            implied.append(directory)
            directory = directory.rpartition(b"/")[0]
        for path in implied:
            self.record(path, Kind.DIRECTORY)

    def record(self, path: bytes, kind: Kind) -> None:
        if kind is Kind.FILE and path in MOUNT_POINTS:
            raise ImageRefused(
                "mount-point",
                f"In {self.where}, {quote(path)} is a file. When the system runs, this is a directory.",
                "Give the file another name.",
            )
        before = self.kinds.get(path)
        if before is not None and not (before is kind is Kind.DIRECTORY):
            raise ImageRefused("duplicate-member", f"In {self.where}, {quote(path)} occurs twice.", REPACK)
        self.kinds[path] = kind
        self.name_bytes += len(path)
        if self.name_bytes > self.limits.name_bytes:
            raise ImageRefused(
                "too-many-members",
                f"The names in the layers have more than {self.limits.name_bytes:,} bytes.",
            )

    def kind_of(self, member: Member, path: bytes) -> Kind:
        if WHITEOUT in path and self.is_whiteout(member, path):
            return Kind.WHITEOUT
        if member.type == DIRECTORY:
            return Kind.DIRECTORY
        if member.type == SYMBOLIC_LINK:
            if not member.link:
                raise self.nameless(member.name)
            return Kind.SYMBOLIC_LINK
        return self.kind_of_target(member) if member.type == HARD_LINK else Kind.FILE

    def kind_of_target(self, member: Member) -> Kind:
        """A second name of a symbolic link is a symbolic link, too."""
        target = path_below_root(member.link, self.where)
        kind = self.kinds.get(target)
        if kind in (Kind.FILE, Kind.SYMBOLIC_LINK):
            return kind
        raise ImageRefused(
            "hard-link",
            f"In {self.where}, {quote(member.name)} is a hard link to {quote(member.link)}, which is not a "
            "file before it in the same layer.",
            REPACK,
        )

    def is_whiteout(self, member: Member, path: bytes) -> bool:
        *directories, name = path.split(b"/")
        if any(part.startswith(WHITEOUT) for part in directories):
            raise self.whiteout_refused(path, "it is used as a directory")
        if not name.startswith(WHITEOUT):
            return False
        if member.size or member.type in (DIRECTORY, HARD_LINK, SYMBOLIC_LINK):
            raise self.whiteout_refused(path, "it is not an empty file")
        if name == OPAQUE:
            return True
        deleted = name.removeprefix(WHITEOUT)
        if deleted in (b"", b".", b"..") or deleted.startswith(WHITEOUT):
            raise self.whiteout_refused(path, "it does not name a file")
        self.deleted.add(b"/".join([*directories, deleted]))
        return True

    def through_link(self, path: bytes) -> ImageRefused:
        return ImageRefused(
            "through-link",
            f"A member of {self.where} is below {quote(path)}, which is a link or a file.",
            "Use the path to which the link points.",
        )

    def whiteout_refused(self, path: bytes, why: str) -> ImageRefused:
        return ImageRefused(
            "whiteout", f"In {self.where}, the deletion marker {quote(path)} is not valid: {why}.", REPACK
        )

    def nameless(self, name: bytes) -> ImageRefused:
        return ImageRefused(
            "member-name", f"In {self.where}, {quote(name)} is not a directory, or is a broken link.", REPACK
        )
