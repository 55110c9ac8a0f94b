"""An execution as its page shows it: a sentence, figures, and for a blind one only what its team may see.

In: an execution and the viewer's permissions. Out: `ExecutionView`, which depends on these alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sharedtask.core.limits import readable_bytes
from sharedtask.software.brief import brief_progress
from sharedtask.software.execution_access import ExecutionPermissions
from sharedtask.software.limits import NEAR
from sharedtask.software.models import Execution

SENTENCES = {
    Execution.State.STARTING: "Starting: the image is being loaded.",
    Execution.State.ENDED: "Ended: the outputs are being collected.",
    Execution.State.STOPPED: "Stopped.",
    Execution.State.FAILED: "Failed because of a server error, which does not count against the quota. "
    "The organisers have been notified.",
}
LIMIT_UNITS = {"memory": "bytes", "output bytes": "bytes", "tmp bytes": "bytes", "log bytes": "bytes"}
NAMES = {"wall time": "time", "output bytes": "output", "output files": "output files", "log bytes": "log"}
"""Of limits, where the words of the airlock are not those of the pages."""
STEPS = ("queued", "starting", "running", "ended", "done")


@dataclass(frozen=True, kw_only=True)
class Figure:
    label: str
    value: str
    share: float | None = None
    """Of a limit, between 0 and 1, to be drawn."""

    @property
    def meter(self) -> dict[str, str]:
        """Attributes of the drawing, in percent; empty if there is none."""
        if self.share is None:
            return {}
        return {"value": f"{100 * min(max(self.share, 0.0), 1.0):.1f}", "high": f"{100 * NEAR:.0f}"}


@dataclass(frozen=True, kw_only=True)
class ExecutionView:
    sentence: str
    figures: Sequence[Figure]
    steps: Sequence[tuple[str, str]]
    warning: str
    version: str
    """Changes when the page has to be rendered again."""
    seconds_to_refresh: int


def describe(
    execution: Execution, permissions: ExecutionPermissions, *, ahead: int, at: datetime
) -> ExecutionView:
    brief = brief_progress(execution, at=at)
    progress = execution.progress if permissions.figures else brief
    figures = figures_in_full(execution) if permissions.figures else figures_in_brief(execution, brief)
    live = execution.state in Execution.IN_AIRLOCK
    return ExecutionView(
        sentence=sentence_of(execution, progress, ahead, at=at),
        figures=figures,
        steps=steps_of(execution),
        warning=warning_of(execution, permissions, brief) if live else "",
        version=f"{execution.state}-{ahead}-{progress.get('at', progress.get('period', ''))}",
        # The team's view of a blind execution changes on the minute; who asks more often learns no more.
        seconds_to_refresh=2 if permissions.figures or execution.state != Execution.State.RUNNING else 10,
    )


def sentence_of(execution: Execution, progress: dict[str, Any], ahead: int, *, at: datetime) -> str:
    match execution.state:
        case Execution.State.QUEUED:
            return f"Queued: position {ahead + 1}."
        case Execution.State.STARTING | Execution.State.RUNNING if is_between_attempts(execution):
            return "Waiting after a server error: the server will try again."
        case Execution.State.RUNNING:
            done, total = progress.get("finished", 0), len(execution.codes)
            return f"Running for {minutes_since(execution, at)}: {done} of {total} test sets finished."
        case Execution.State.STOPPED if execution.stop_reason:
            return f"{execution.stop_reason[0].upper()}{execution.stop_reason[1:]}."
        case Execution.State.DONE:
            return outcome_sentence(execution)
    return SENTENCES[Execution.State(execution.state)]


def is_between_attempts(execution: Execution) -> bool:
    return execution.attempts > 0 and not execution.claimed_by


def minutes_since(execution: Execution, at: datetime) -> str:
    minutes = int((at - (execution.started_at or at)).total_seconds() // 60)
    hours, rest = divmod(minutes, 60)
    if hours:
        return f"{hours} h {rest} min"
    return "less than a minute" if minutes < 1 else f"{minutes} minute{'s' if minutes > 1 else ''}"


def outcome_sentence(execution: Execution) -> str:
    """Which limit, by name and value, and whose error; nothing that the software printed.

    Nor how a replication compares: its verdict is computed from gold, and is for organisers.
    """
    outcome = execution.outcome
    limit = outcome.get("limit")
    if limit and limit["name"] == "memory" and outcome.get("exit_code") == 0:
        return (
            f"Ended with exit code 0, but a process was killed by a limit ({describe_limit(limit)}): "
            "an error of the submitted software."
        )
    if limit:
        return f"Ended by a limit ({describe_limit(limit)}): an error of the submitted software."
    if outcome.get("signal"):
        return f"Ended by signal {outcome['signal']}: an error of the submitted software."
    if outcome.get("error_of") == "system" and outcome.get("exit_code") is None:
        return "The submitted software could not be started."
    if outcome.get("exit_code"):
        return f"Ended with exit code {outcome['exit_code']}: an error of the submitted software."
    return "Ended with exit code 0."


def describe_limit(limit: dict[str, Any]) -> str:
    name, value = limit["name"], limit["value"]
    if name in LIMIT_UNITS:
        return f"{name.removesuffix(' bytes')}, {readable_bytes(value)}"
    if name == "wall time":
        return f"time, {value // 60} minutes" if value >= 60 else f"time, {value} seconds"
    return f"{name}, {value:,}"


def warning_of(execution: Execution, permissions: ExecutionPermissions, brief: dict[str, Any]) -> str:
    if permissions.figures:
        near = execution.progress.get("near", [])
        if near:
            return f"Near a limit: {' and '.join(NAMES.get(name, name) for name in near)}."
        is_stalled = execution.progress.get("is_stalled")
    else:
        status = brief.get("status")
        if status == "near a limit":
            return "Near a limit."
        is_stalled = status == "no progress"
    return "No progress: it uses no processor time and writes nothing." if is_stalled else ""


def figures_in_full(execution: Execution) -> list[Figure]:
    """While it runs as last measured, afterwards as used in total."""
    limits, progress = execution.limits, execution.progress
    if execution.state in Execution.IN_AIRLOCK and progress:
        left, total = progress.get("seconds_left"), limits["wall_seconds"]
        output = progress.get("output_bytes") or 0
        return [
            Figure(label="Current test set", value=str(progress.get("current", "–"))),
            memory_figure("Memory", progress.get("memory_bytes"), limits),
            Figure(
                label="Time left",
                value=f"{seconds(left)} of {seconds(total)}",
                share=None if left is None else 1 - left / total,
            ),
            Figure(
                label="Output",
                value=f"{written(progress)} of {readable_bytes(limits['output_bytes'])}",
                share=output / limits["output_bytes"],
            ),
            Figure(label="CPU", value=seconds(progress.get("cpu_seconds"))),
        ]
    return use_in_full(execution) if execution.usage else []


def use_in_full(execution: Execution) -> list[Figure]:
    usage = execution.usage
    return [
        Figure(label="CPU", value=seconds(usage.get("cpu_seconds"))),
        memory_figure("Peak memory", usage.get("peak_memory_bytes"), execution.limits),
        Figure(label="Time", value=seconds(usage.get("wall_seconds"))),
        Figure(label="Output", value=written(usage)),
        Figure(label="Log", value=readable_bytes(usage.get("log_bytes") or 0)),
    ]


def memory_figure(label: str, used: int | None, limits: dict[str, Any]) -> Figure:
    limit = limits["memory_bytes"]
    value = f"{readable_bytes(used)} of {readable_bytes(limit)}" if used is not None else "unknown"
    return Figure(label=label, value=value, share=None if used is None else used / limit)


def written(measured: dict[str, Any]) -> str:
    files = measured.get("output_files") or 0
    return f"{files} file{'' if files == 1 else 's'}, {readable_bytes(measured.get('output_bytes') or 0)}"


def figures_in_brief(execution: Execution, brief: dict[str, Any]) -> list[Figure]:
    """On blind data: the status while it runs, tenths of the limits afterwards."""
    if execution.state == Execution.State.RUNNING:
        # Any other status is a warning, and the sentence says for how many minutes it has been running.
        is_working = brief.get("status") == "working"
        return [Figure(label="Status", value="working")] if is_working else []
    if not execution.is_final or not execution.usage:
        return []
    limits, usage = execution.limits, execution.usage
    containers = len(execution.codes) if execution.instructions["per_test_set"] else 1
    cpu_limit = limits["cpus"] * limits["wall_seconds"] * containers
    return [
        Figure(label="CPU", value=tenths(usage.get("cpu_seconds"), cpu_limit)),
        Figure(label="Peak memory", value=tenths(usage.get("peak_memory_bytes"), limits["memory_bytes"])),
    ]


def tenths(used: float | None, limit: float) -> str:
    if used is None:
        return "unknown"
    count = min(10, round(10 * used / limit))
    return f"{count} tenth{'' if count == 1 else 's'} of the limit"


def seconds(value: float | None) -> str:
    if value is None:
        return "unknown"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    if minutes:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{value:.1f} s" if value < 10 else f"{rest} s"


def steps_of(execution: Execution) -> list[tuple[str, str]]:
    """Name and status of each step: done, current, ahead, or failed."""
    if execution.state in (Execution.State.STOPPED, Execution.State.FAILED):
        before = ("queued", "starting", "running") if execution.started_at else ("queued",)
        status = "failed" if execution.state == Execution.State.FAILED else "done"
        return [*((name, "done") for name in before), (execution.state, status)]
    current = STEPS.index(execution.state)
    return [(name, step_status(execution, index, current)) for index, name in enumerate(STEPS)]


def step_status(execution: Execution, index: int, current: int) -> str:
    if index != current:
        return "done" if index < current else "ahead"
    if not execution.is_final:
        return "current"
    return "failed" if execution.ended_badly else "done"
