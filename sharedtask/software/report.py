"""What a worker of the airlock writes into the row of its execution, on condition that it still holds it.

Only columns of this one row are written: `deploy/airlock.sql` grants no more. What follows (a run, notices)
is left to workers that may do it. The account of the broker may not send messages either: rows that have
ended are marked as not dispatched, and the next sweep finds them.
"""

from __future__ import annotations

from typing import Any

from sharedtask.core import clock
from sharedtask.software.models import Execution
from sharedtask.work import dispatch
from sharedtask.work.failure import printable
from sharedtask.work.lease import released
from sharedtask.work.targets import COLLECT_OUTPUTS

MAX_LOG_CHARACTERS = 64 * 1024
STOPPED = "The execution was stopped."


class LeaseLost(Exception):
    """Another worker holds the execution by now, or it was stopped; this one must not write any more."""


def write(execution: Execution, **values: Any) -> None:
    claimed = Execution.objects.for_the_airlock().filter(
        pk=execution.pk, claimed_by=execution.claimed_by, claimed_until__isnull=False
    )
    if not claimed.update(**values):
        raise LeaseLost(f"{execution} is held by another worker")
    for name, value in values.items():
        setattr(execution, name, value)


def record_running(execution: Execution) -> None:
    started_at = execution.started_at or clock.database_now()
    write(execution, state=Execution.State.RUNNING, started_at=started_at)


def record_progress(
    execution: Execution, progress: dict[str, Any], coarse_progress: dict[str, Any], log: bytes
) -> bool:
    """Returns whether it should be stopped."""
    text = printable((execution.progress.get("log_before", "") + decoded(log)), longest=10**9)
    write(
        execution,
        progress=progress,
        coarse_progress=coarse_progress,
        log=text[-MAX_LOG_CHARACTERS:],
    )
    stop_requested = Execution.objects.filter(pk=execution.pk, stop_requested_at__isnull=False)
    return stop_requested.exists()


def record_container(
    execution: Execution, run_id: str, outcome: dict[str, Any], outputs: dict[str, Any]
) -> None:
    """A container has ended. The worst outcome of all containers is that of the execution."""
    log = printable(execution.progress.get("log_before", "") + outcome.pop("log"), longest=10**9)
    usage = add_usage(execution.usage, outcome.pop("usage"))
    all_outputs = execution.outputs | outputs
    progress = {
        **execution.progress,
        "containers": [*execution.progress.get("containers", []), run_id],
        "finished_before": len(all_outputs),
        "finished": len(all_outputs),
        "seconds_before": usage.get("wall_seconds", 0),
        "log_before": log[-MAX_LOG_CHARACTERS:],
    }
    write(
        execution,
        progress=progress,
        outputs=all_outputs,
        usage=usage,
        outcome=worse(execution.outcome, outcome),
        log=log[-MAX_LOG_CHARACTERS:],
    )


def worse(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The first outcome that is an error stays."""
    return before if before.get("error_of") else now


def add_usage(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Sums over the containers; of memory the maximum."""
    total = dict(before)
    for name, value in now.items():
        if value is not None:
            combine = max if name == "peak_memory_bytes" else sum
            total[name] = combine([before.get(name) or 0, value])
    return total


def record_ended(execution: Execution) -> None:
    at = clock.database_now()
    progress = {name: value for name, value in execution.progress.items() if name != "log_before"}
    write(
        execution,
        state=Execution.State.ENDED,
        finished_at=at,
        progress=progress,
        dispatched_at=None,
        **released(),
    )
    dispatch.enqueue(COLLECT_OUTPUTS, execution.public_id)


def record_stopped(execution: Execution) -> None:
    """It was stopped while no worker watched a container of it."""
    write(execution, outcome=outcome_without_container(STOPPED, error_of=None, stopped=True))
    record_ended(execution)


def outcome_without_container(sentence: str, *, error_of: str | None, stopped: bool) -> dict[str, Any]:
    return {
        "exit_code": None,
        "signal": None,
        "limit": None,
        "stopped": stopped,
        "error_of": error_of,
        "sentence": sentence,
        "problems": [],
    }


def record_given_up(execution: Execution, sentence: str) -> None:
    """After the last attempt: an error of the platform, which costs no quota."""
    at = clock.database_now()
    waiting = Execution.objects.for_the_airlock().filter(pk=execution.pk)
    ended = waiting.update(
        state=Execution.State.ENDED,
        finished_at=at,
        outcome=outcome_without_container(sentence, error_of="platform", stopped=False),
        dispatched_at=None,
        **released(),
    )
    if ended:
        dispatch.enqueue(COLLECT_OUTPUTS, execution.public_id)


def decoded(log: bytes) -> str:
    return log.decode("utf-8", "replace")
