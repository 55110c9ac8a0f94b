"""Watch a container: measure it until it ends, record its progress, and stop it when requested.

In: a running container. Out: its `Outcome`; meanwhile the progress in the row of the execution, precise for
those who may see everything, and coarse for the team of a blind execution.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings

from airlock.contract import outfile_of
from airlock.engine import Limits, Observation, Outcome, Running
from sharedtask.core import clock
from sharedtask.software import report
from sharedtask.software.brief import FIRST, period_at
from sharedtask.software.limits import NEAR
from sharedtask.software.models import Execution

FIRST_PAUSE_SECONDS = 0.2
MAX_PAUSE_SECONDS = 2.0
CPU_SECONDS_OF_PROGRESS = 0.1


@dataclass
class Activity:
    """When the container last used the processor or wrote something."""

    cpu_seconds: float = 0.0
    written: tuple[int, int, int] = (0, 0, 0)
    last: float = field(default_factory=time.monotonic)

    def notice(self, observation: Observation) -> None:
        written = (observation.output_bytes, observation.output_files, observation.log_bytes)
        cpu_seconds = observation.cpu_seconds or 0.0
        if cpu_seconds - self.cpu_seconds >= CPU_SECONDS_OF_PROGRESS or written != self.written:
            self.cpu_seconds, self.written, self.last = cpu_seconds, written, time.monotonic()

    @property
    def idle_seconds(self) -> float:
        return time.monotonic() - self.last


def watch(execution: Execution, running: Running, codes: Sequence[str]) -> Outcome:
    activity = Activity()
    pause = FIRST_PAUSE_SECONDS
    while (observation := running.observe()).state == "running":
        activity.notice(observation)
        at = clock.database_now()
        progress = measure(execution, observation, activity, codes, at=at)
        brief = coarse(execution, progress, at=at)
        if report.record_progress(execution, progress, brief, observation.log_tail):
            running.stop()
        time.sleep(pause)
        pause = min(pause * 1.5, MAX_PAUSE_SECONDS)
    return running.finish()


def measure(
    execution: Execution,
    observation: Observation,
    activity: Activity,
    codes: Sequence[str],
    *,
    at: datetime,
) -> dict[str, Any]:
    written = [code for code in codes if outfile_of(code) in observation.output_names]
    # The last file that was begun may still be growing.
    done_before = execution.progress.get("finished_before", 0)
    current = written[-1] if written else codes[0]
    return {
        **execution.progress,
        "at": at.isoformat(),
        "wall_seconds": round(observation.wall_seconds, 1),
        "seconds_left": round(observation.seconds_left),
        "cpu_seconds": observation.cpu_seconds and round(observation.cpu_seconds, 2),
        "memory_bytes": observation.memory_bytes,
        "memory_limit": observation.memory_limit,
        "output_bytes": observation.output_bytes,
        "output_files": observation.output_files,
        "log_bytes": observation.log_bytes,
        "current": current,
        "finished": done_before + max(0, len(written) - 1),
        "total": len(execution.codes),
        "is_stalled": activity.idle_seconds >= settings.AIRLOCK_STALLED_SECONDS,
        "near": near_limits(observation, Limits(**execution.limits)),
    }


def near_limits(observation: Observation, limits: Limits) -> list[str]:
    shares = {
        "memory": (observation.memory_bytes or 0) / limits.memory_bytes,
        "wall time": observation.wall_seconds / limits.wall_seconds,
        "output bytes": observation.output_bytes / limits.output_bytes,
        "output files": observation.output_files / limits.output_files,
        "log bytes": observation.log_bytes / limits.log_bytes,
    }
    return [name for name, share in shares.items() if share >= NEAR]


def coarse(execution: Execution, progress: dict[str, Any], *, at: datetime) -> dict[str, Any]:
    """What the team of a blind execution sees; `brief.py` shows it from the next period on.

    The number never falls: software could write with files that it removes again.
    """
    last = execution.coarse_progress
    current = period_at(execution, at=at)
    is_new = current != last.get("period")
    status = "near a limit" if progress["near"] else "no progress" if progress["is_stalled"] else "working"
    return {
        "period": current,
        "finished": max(progress["finished"], last.get("finished", 0)),
        "status": status,
        "before": {name: last[name] for name in FIRST if name in last} if is_new else last["before"],
    }
