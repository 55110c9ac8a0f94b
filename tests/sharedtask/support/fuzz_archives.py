"""Corrupted archives by the hundred thousand, in bounded memory (`python -m` this module).

Each case is a number that seeds an archive (`draw_archives.py`); it ends in files within the limits or in a
refusal that tells the team what is wrong, and in nothing else. The processes have a limit on their memory, so
that an archive which costs more than it may fails its case. A case that fails is printed with its number, to
be run again with `--first NUMBER --cases 1`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sharedtask.core.errors import Refusal
from sharedtask.core.limits import UploadLimits
from sharedtask.core.unpacking import decompress
from sharedtask.core.unpacking.source import Source
from sharedtask.core.unpacking.zip_directory import TAIL_BYTES, find_directory
from sharedtask.submissions.unpack import unpack
from tests.sharedtask.support.draw_archives import draw_archive

BATCH = 500
MEBIBYTE = 1024 * 1024
MEMORY_BYTES = 48 * MEBIBYTE
"""What drawing and unpacking one archive may take beyond the interpreter with all its modules."""
XZ_MEMORY_BYTES = 8 * MEBIBYTE
"""A dictionary of xz, for which the site allows more than all the rest takes together."""
LONGEST_CASE_SECONDS = 120
"""No measure of speed: a case takes milliseconds, and one that never ends has to be noticed."""
CODES = frozenset({"de_one", "en_two"})
LIMITS = UploadLimits(
    archive_bytes=10_000_000,
    members=20,
    member_bytes=1_000_000,
    total_bytes=3_000_000,
    ratio=100,
    uploads_a_day=1,
)
REFUSALS = frozenset(
    {
        "archive-damaged",
        "archive-empty",
        "archive-encrypted",
        "archive-format-unknown",
        "archive-no-tar",
        "archive-ratio",
        "archive-too-large-unpacked",
        "archive-too-many-members",
        "member-name-escapes",
        "member-not-a-file",
        "member-too-large",
        "treebank-twice",
        "treebank-unknown",
        "zip-method-unknown",
    }
)


class NeverEnds(BaseException):
    """Not an exception that anybody but us would catch."""


def check_case(number: int, place: Path) -> str:
    """The archive of this number, written into a folder that is empty before and after; what became of it."""
    path, folder = place / "archive", place / "folder"
    path.write_bytes(draw_archive(random.Random(number)))
    folder.mkdir(exist_ok=True)
    try:
        check_measure(path)
        return check_archive(path, folder)
    finally:
        for file in folder.iterdir():
            file.unlink()


def check_archive(path: Path, folder: Path) -> str:
    try:
        files = unpack(archive=path, folder=folder, codes=CODES, limits=LIMITS)
    except Refusal as fault:
        assert fault.id in REFUSALS, fault.id
        assert fault.message and "\n" not in fault.message
        outcome = fault.id
    else:
        assert {file.code: file.size_bytes for file in files} == sizes_in(folder)
        outcome = "accepted"
    sizes = sizes_in(folder).values()
    assert all(size <= LIMITS.member_bytes for size in sizes) and sum(sizes) <= LIMITS.total_bytes
    return outcome


def sizes_in(folder: Path) -> dict[str, int]:
    return {path.stem: path.stat().st_size for path in folder.iterdir()}


def check_measure(path: Path) -> None:
    """The directory of a zip that the library is going to read is not larger than the one that we measure."""
    with path.open("rb") as file:
        source = Source(file, max_read=TAIL_BYTES)
        measured = find_directory(source)
        try:
            record = zipfile._EndRecData(source)  # type: ignore[attr-defined]
        except (zipfile.BadZipFile, OSError):
            return
    assert (measured is None) == (record is None)
    if measured is not None:
        assert measured.entries >= record[4] and measured.size_bytes >= record[5]


def run_batch(first: int) -> tuple[Counter[str], list[str]]:
    """What became of a batch of cases, and what went wrong."""
    outcomes: Counter[str] = Counter()
    errors = []
    with tempfile.TemporaryDirectory(prefix="fuzz-archives-") as place:
        for number in range(first, first + BATCH):
            try:
                with alarm():
                    outcomes[check_case(number, Path(place))] += 1
            except (Exception, NeverEnds):
                errors.append(f"case {number}\n{traceback.format_exc()}")
    return outcomes, errors


@contextmanager
def alarm() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise NeverEnds

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST_CASE_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def limit_memory() -> None:
    """For a process of its own: from here on it may take `MEMORY_BYTES` more than it has."""
    decompress.XZ_MEMORY_BYTES = XZ_MEMORY_BYTES
    used = next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmData" in line)
    limit = int(used.split()[1]) * 1024 + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
    try:
        bytearray(2 * MEMORY_BYTES)
    except MemoryError:
        return
    raise RuntimeError("this system does not hold a process to its limit on memory")


def run(*, cases: int, first: int = 0, jobs: int | None = None) -> int:
    """Run the cases in processes of bounded memory, print what became of them; how many failed."""
    began, done, failed = time.monotonic(), 0, 0
    outcomes: Counter[str] = Counter()
    with multiprocessing.get_context("spawn").Pool(jobs, initializer=limit_memory) as pool:
        for of_batch, errors in pool.imap_unordered(run_batch, range(first, first + cases, BATCH)):
            done, failed = done + BATCH, failed + len(errors)
            outcomes += of_batch
            for error in errors:
                print(error, file=sys.stderr)
            if done % (40 * BATCH) == 0:
                speed = done / (time.monotonic() - began)
                print(f"{done:,} archives, {failed} failed, {speed:.0f} a second", flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:10,} {outcome}")
    print(f"{done:,} archives, {outcomes['accepted']:,} of them accepted, {failed} failed.", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=300_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=None)
    arguments = parser.parse_args()
    if arguments.cases == 1:
        limit_memory()
        with tempfile.TemporaryDirectory(prefix="fuzz-archives-") as place:
            print(check_case(arguments.first, Path(place)))
        return 0
    return 1 if run(cases=arguments.cases, first=arguments.first, jobs=arguments.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
