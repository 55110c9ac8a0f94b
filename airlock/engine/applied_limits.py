"""Compare the limits that the kernel applies with those that were requested, which engines may ignore.

In: what programs in a container have read from the kernel. Out: what differs, in words. Where the host is
busy, what a run has used cannot show that it might not have used more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .cgroup import SLACK_BYTES
from .limits import Limits

PROCESS_LIMITS = ("Max open files", "Max core file size", "Max processes", "Max file size")
CGROUP_FILES = {
    "processors": (("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"), ("cpu.max",)),
    "memory": (("memory/memory.limit_in_bytes",), ("memory.max",)),
    "processes": (("pids/pids.max",), ("pids.max",)),
}
"""Of cgroup v1 and of v2. Of processors there are two numbers, of which the second divides the first."""


def wrong_process_limits(printed: str, limits: Limits) -> list[str]:
    """In: the file `limits` of a process."""
    lines = printed.splitlines()
    applied = {name: line for line in lines for name in PROCESS_LIMITS if line.startswith(name)}
    expected = {"Max open files": limits.open_files, "Max core file size": 0}
    expected |= {"Max processes": 2 * limits.processes}
    expected |= {"Max file size": max(limits.output_bytes, limits.tmp_bytes)}
    return [
        " ".join(applied.get(name, f"{name} unknown").split()[:-1])
        for name, value in expected.items()
        if [str(value)] * 2 != applied.get(name, "").removeprefix(name).split()[:2]
    ]


def wrong_cgroup_limits(printed: str, limits: Limits) -> list[str]:
    """In: a line for each file of the container's cgroup, which begins with its name."""
    files = {name: words for name, *words in map(str.split, printed.splitlines())}
    applied = {name: _numbers(name, files) for name in CGROUP_FILES}
    quota, period = (*applied["processors"], 0, 0)[:2]
    holds = {
        "processors": quota > 0 and quota == round(limits.cpus * period),
        # On cgroup v1 a parent has the limit itself.
        "memory": 0 < sum(applied["memory"]) <= limits.memory_bytes + SLACK_BYTES,
        "processes": applied["processes"] == [limits.processes],
    }
    return [
        f"{name} {' of '.join(map(str, applied[name])) or 'unlimited'}" for name in holds if not holds[name]
    ]


def _numbers(name: str, files: Mapping[str, Sequence[str]]) -> list[int]:
    """Empty if there is no limit, or nothing that says so."""
    words = next(
        (
            words
            for names in CGROUP_FILES[name]
            if (words := [word for file in names for word in files.get(file, ())])
        ),
        [],
    )
    is_limited = all(word.isdecimal() for word in words)
    return [int(word) for word in words] if is_limited else []
