"""An execution as its page shows it: a sentence, figures, and for a blind one only what its team may see.

In: an execution and the viewer's permissions. Out: `ExecutionView`, which depends on these alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sharedtask.core.limits import readable_bytes
from sharedtask.software.execution_access import ExecutionPermissions
from sharedtask.software.models import Execution

SENTENCES = {
    Execution.State.STARTING: "Starting: the image is being loaded.",
    Execution.State.ENDED: "Ended: the outputs are being collected.",
    Execution.State.STOPPED: "Stopped.",
    Execution.State.FAILED: "Failed because of a server error, which does not count against the quota. "
    "The organisers have been notified.",
}
LIMIT_UNITS = {"memory": "bytes", "output bytes": "bytes", "tmp bytes": "bytes", "log bytes": "bytes"}
STEPS = ("queued", "starting", "running", "ended", "done")


@dataclass(frozen=True, kw_only=True)
class Figure:
    label: str
    value: str


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
    progress = execution.progress if permissions.figures else execution.coarse_progress
    figures = figures_in_full(execution) if permissions.figures else figures_in_brief(execution)
    live = execution.state in Execution.IN_AIRLOCK
    return ExecutionView(
        sentence=sentence_of(execution, progress, ahead, at=at),
        figures=figures,
        steps=steps_of(execution),
        warning=warning_of(execution, permissions) if live else "",
        version=f"{execution.state}-{ahead}-{progress.get('at', progress.get('refresh', ''))}",
        seconds_to_refresh=2 if permissions.figures or execution.state != Execution.State.RUNNING else 60,
    )


def sentence_of(execution: Execution, progress: dict[str, Any], ahead: int, *, at: datetime) -> str:
    match execution.state:
        case Execution.State.QUEUED:
            return f"Queued: position {ahead + 1}."
        case Execution.State.RUNNING:
            done, total = progress.get("finished", 0), len(execution.codes)
            return f"Running for {minutes_since(execution, at)}: {done} of {total} test sets finished."
        case Execution.State.DONE:
            return outcome_sentence(execution)
    return SENTENCES[Execution.State(execution.state)]


def minutes_since(execution: Execution, at: datetime) -> str:
    minutes = int((at - (execution.started_at or at)).total_seconds() // 60)
    return "less than a minute" if minutes < 1 else f"{minutes} minute{'s' if minutes > 1 else ''}"


def outcome_sentence(execution: Execution) -> str:
    """Which limit, by name and value, and whose error; nothing that the software printed."""
    outcome = execution.outcome
    if execution.comparison:
        return f"Repeated: {execution.comparison['verdict']}."
    if limit := outcome.get("limit"):
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


def warning_of(execution: Execution, permissions: ExecutionPermissions) -> str:
    if permissions.figures:
        near = execution.progress.get("near", [])
        if near:
            return f"Near a limit: {', '.join(near)}."
        is_stalled = execution.progress.get("is_stalled")
    else:
        status = execution.coarse_progress.get("status")
        if status == "near a limit":
            return "Near a limit."
        is_stalled = status == "no progress"
    return "No progress: it uses no processor time and writes nothing." if is_stalled else ""


def figures_in_full(execution: Execution) -> list[Figure]:
    """While it runs as last measured, afterwards as used in total."""
    limits, progress, usage = execution.limits, execution.progress, execution.usage
    figures: dict[str, str] = {}
    if execution.state in Execution.IN_AIRLOCK and progress:
        figures["CPU"] = seconds(progress.get("cpu_seconds"))
        figures["Memory"] = of_limit(progress.get("memory_bytes"), limits["memory_bytes"])
        figures["Current test set"] = str(progress.get("current", "–"))
        figures["Output"] = written(progress)
        figures["Time left"] = seconds(progress.get("seconds_left"))
    elif usage:
        return use_in_full(execution)
    return [Figure(label=label, value=value) for label, value in figures.items()]


def use_in_full(execution: Execution) -> list[Figure]:
    usage = execution.usage
    memory = of_limit(usage.get("peak_memory_bytes"), execution.limits["memory_bytes"])
    return [
        Figure(label="CPU", value=seconds(usage.get("cpu_seconds"))),
        Figure(label="Peak memory", value=memory),
        Figure(label="Time", value=seconds(usage.get("wall_seconds"))),
        Figure(label="Output", value=written(usage)),
        Figure(label="Log", value=readable_bytes(usage.get("log_bytes") or 0)),
    ]


def written(measured: dict[str, Any]) -> str:
    files = measured.get("output_files") or 0
    return f"{files} file{'' if files == 1 else 's'}, {readable_bytes(measured.get('output_bytes') or 0)}"


def figures_in_brief(execution: Execution) -> list[Figure]:
    """On blind data: minutes and status while it runs, tenths of the limits afterwards."""
    if execution.state == Execution.State.RUNNING and execution.coarse_progress:
        coarse = execution.coarse_progress
        return [
            Figure(label="Minutes", value=str(coarse["minutes"])),
            Figure(label="Status", value=coarse["status"]),
        ]
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
    return f"{min(10, round(10 * used / limit))} tenths of the limit"


def of_limit(used: int | None, limit: int) -> str:
    return f"{readable_bytes(used)} of {readable_bytes(limit)}" if used is not None else "unknown"


def seconds(value: float | None) -> str:
    if value is None:
        return "unknown"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes else f"{value:.1f} s" if value < 10 else f"{rest} s"


def steps_of(execution: Execution) -> list[tuple[str, str]]:
    """Name and status of each step: done, current or ahead."""
    if execution.state in (Execution.State.STOPPED, Execution.State.FAILED):
        return [("queued", "done"), (execution.state, "done")]
    current = STEPS.index(execution.state)
    last = len(STEPS) - 1
    return [
        (
            name,
            "done"
            if index < current or index == current == last
            else "current"
            if index == current
            else "ahead",
        )
        for index, name in enumerate(STEPS)
    ]
