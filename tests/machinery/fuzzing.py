"""Run numbered cases in processes with a memory limit and count what became of them.

A case is a number that seeds an input. Its check returns the name of an outcome ("accepted", the id of a
refusal); anything it raises is a failure, which is printed with the number, so that the case can be repeated.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

MEBIBYTE = 1024 * 1024
BATCH = 500
REPORT_EVERY = 20_000
LONGEST_CASE_SECONDS = 120
"""This does not measure speed: a case takes milliseconds, but one that never ends must be noticed."""


class NeverEnds(BaseException):
    """Not an `Exception`, so that no code under test catches it."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One kind of input. The functions are defined at module level: they are sent to other processes."""

    name: str
    check: Callable[[int], str]
    memory_bytes: int
    """What one case may take on top of the interpreter with all modules loaded."""
    prepare: Callable[[], None] | None = None
    """Called once in each process."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    cases: int
    outcomes: Counter[str]
    errors: list[str]


def run_part(part: Part, *, cases: int, first: int = 0, jobs: int | None = None) -> int:
    """Run the cases and print figures. Out: how many failed."""
    began, done, failed = time.monotonic(), 0, 0
    outcomes: Counter[str] = Counter()
    end = first + cases
    batches = [range(start, min(start + BATCH, end)) for start in range(first, end, BATCH)]
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, initializer=start_process, initargs=(part,)) as pool:
        for batch in pool.imap_unordered(partial(run_batch, part), batches):
            done, failed = done + batch.cases, failed + len(batch.errors)
            outcomes += batch.outcomes
            for error in batch.errors:
                print(error, file=sys.stderr)
            if done % REPORT_EVERY == 0:
                print(f"{part.name}: {done:,} cases, {failed} failed, {speed(done, began)}", flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:10,} {outcome}")
    print(f"{part.name}: {done:,} cases, {failed} failed, {speed(done, began)}.", flush=True)
    return failed


def speed(cases: int, began: float) -> str:
    return f"{cases / (time.monotonic() - began):.0f} per second"


def start_process(part: Part) -> None:
    if part.prepare is not None:
        part.prepare()
    limit_memory(part.memory_bytes)


def run_batch(part: Part, numbers: range) -> Batch:
    outcomes: Counter[str] = Counter()
    errors = []
    for number in numbers:
        try:
            with time_limit():
                outcomes[part.check(number)] += 1
        except (Exception, NeverEnds):
            errors.append(f"{part.name}: case {number}\n{traceback.format_exc()}")
    return Batch(cases=len(numbers), outcomes=outcomes, errors=errors)


def run_case(part: Part, number: int) -> str:
    """One case in this process, which gets the memory limit; a failure is raised."""
    start_process(part)
    with time_limit():
        return part.check(number)


@contextmanager
def time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise NeverEnds

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST_CASE_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def limit_memory(memory_bytes: int) -> None:
    """From here on this process may take so many bytes more than it has."""
    used = next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmData" in line)
    limit = int(used.split()[1]) * 1024 + memory_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
    try:
        bytearray(2 * memory_bytes)
    except MemoryError:
        return
    raise RuntimeError("this system does not enforce the memory limit of a process")
