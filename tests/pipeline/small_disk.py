"""A disk that can be filled: a file system of its own where the machine lets us make one, else a quota.

Without the right to mount, the kernel refuses web and workers every file beyond a few bytes (RLIMIT_FSIZE).
That is a quota of each process rather than of a disk, and its error is EFBIG instead of ENOSPC, but it comes
from the kernel in the middle of a write, as the other does. What was done is told, and it is never nothing.
"""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

SIZE_MEGABYTES = 96
LIMIT_BYTES = 16


class SmallDisk:
    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.writers: Callable[[], list[int]] = list
        """The processes that a quota is laid upon."""
        self.said = "never filled"
        self._ballast = folder / "ballast"
        self._limited: list[int] = []
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MEGABYTES}m", "tmpfs", str(folder)]
        self._mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0

    def fill(self) -> None:
        if not self._mounted:
            self._limited = [pid for pid in self.writers() if limit(pid, LIMIT_BYTES)]
            assert self._limited, "no process to lay a quota upon"
            self.said = (
                f"no right to mount: {len(self._limited)} processes had a quota of {LIMIT_BYTES} bytes"
            )
            return
        with self._ballast.open("wb", buffering=0) as stream:
            try:
                while True:
                    stream.write(b"\0" * 4096)
            except OSError as error:
                self.said = f"a file system of {SIZE_MEGABYTES} MB was filled ({error.strerror})"

    def empty(self) -> None:
        self._ballast.unlink(missing_ok=True)
        for pid in self._limited:
            limit(pid, None)

    def close(self) -> None:
        if self._mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


def limit(pid: int, size_bytes: int | None) -> bool:
    """Only the soft limit, which may be raised again; False when the process has gone."""
    try:
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if size_bytes is None else size_bytes, hard))
    except ProcessLookupError:
        return False
    return True
