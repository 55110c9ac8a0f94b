"""Execute: what a worker of the airlock does with an execution. It has a container engine and no gold.

In: a claimed execution with its instructions. Out: outputs in storage, and the execution in state ended with
outcome and usage. A container is found again by its id when another worker takes the execution over, so that
a lost worker costs no work. An error of the platform is raised, and the work is retried.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from airlock.contract import METADATA, metadata_file, outfile_of
from airlock.engine import (
    AirlockError,
    Engine,
    EngineFailure,
    Limits,
    Outcome,
    OutputFile,
    RunLost,
    Running,
    RunSpec,
    SystemFailure,
    connect,
)
from sharedtask.core import storage
from sharedtask.software import report
from sharedtask.software.loaded_images import load_image
from sharedtask.software.models import Execution
from sharedtask.software.watch import watch

CHUNK = 1024 * 1024

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Container:
    """One container of an execution: for all of its test sets, or for one of them."""

    run_id: str
    entries: Sequence[Mapping[str, Any]]

    @property
    def codes(self) -> list[str]:
        return [entry["code"] for entry in self.entries]


def execute(execution: Execution) -> None:
    if execution.stop_requested_at is not None:
        remove_containers(execution)
        report.record_stopped(execution)
        return
    engine = connect_engine()
    remove_orphans(engine)
    load_image(engine, execution)
    for container in containers_of(execution):
        if container.run_id in execution.progress.get("containers", []):
            continue
        if not run_container(engine, execution, container):
            break
    report.record_ended(execution)


def connect_engine() -> Engine:
    return connect(settings.AIRLOCK_ENGINE or None, ulimit_shim=settings.AIRLOCK_ULIMIT_SHIM)


def remove_containers(execution: Execution) -> None:
    """If the worker before was lost, its container is still running. Without an engine nothing is."""
    try:
        engine = connect_engine()
        present = engine.run_ids()
        engine.clean(keep={run_id for run_id in present if run_id.split("-")[0] != execution.public_id})
    except AirlockError as failure:
        log.warning("what is left of %s is removed by the next execution: %s", execution, failure)


def containers_of(execution: Execution) -> list[Container]:
    entries = execution.instructions["test_sets"]
    if not execution.instructions["per_test_set"]:
        return [Container(run_id=execution.public_id, entries=entries)]
    return [
        Container(run_id=f"{execution.public_id}-{number}", entries=[entry])
        for number, entry in enumerate(entries, start=1)
    ]


def run_container(engine: Engine, execution: Execution, container: Container) -> bool:
    """Run it to its end and store what it wrote. False if the execution was stopped."""
    try:
        running = engine.find(container.run_id) or start(engine, execution, container)
    except SystemFailure as failure:
        report.record_container(execution, container.run_id, outcome_of_failure(failure), {})
        return True
    report.record_running(execution)
    try:
        outcome = watch(execution, running, container.codes)
        if outcome.error_of == "platform":
            raise EngineFailure(outcome.sentence)
        outputs, problems = store_outputs(execution, running, container.codes)
    except report.LeaseLost:
        # Another worker has the execution and finds the container.
        raise
    except (EngineFailure, RunLost):
        # The next attempt starts from scratch, and would otherwise find what is left of this one.
        running.remove()
        raise
    report.record_container(execution, container.run_id, outcome_as_json(outcome, problems), outputs)
    running.remove()
    return not outcome.stopped


def start(engine: Engine, execution: Execution, container: Container) -> Running:
    with ExitStack() as copies:
        inputs: dict[str, bytes | Path] = {
            METADATA: metadata_file(entry["metadata"] for entry in container.entries)
        }
        for entry in container.entries:
            for filename, stored in entry["files"].items():
                inputs[filename] = copies.enter_context(storage.local_copy(stored))
        spec = RunSpec(
            run_id=container.run_id,
            image_id=execution.instructions["image"]["image_id"],
            inputs=inputs,
            limits=Limits(**execution.limits),
        )
        return engine.start(spec)


def store_outputs(
    execution: Execution, running: Running, codes: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The files that were asked for, by code, and why other ones were not read."""
    expected = {outfile_of(code): code for code in codes}
    outputs: dict[str, Any] = {}
    problems: list[str] = []
    try:
        # Until all is read or closed, the engine does not remove the container: storage may be away.
        with closing(running.outputs()) as files:
            for file in files:
                if file.name in expected and file.problem is None:
                    outputs[expected[file.name]] = store_output(execution, expected[file.name], file)
                elif file.problem is not None:
                    problems.append(f"{file.name}: {file.problem}")
    except SystemFailure as failure:
        problems.append(str(failure))
    return outputs, problems[:20]


def store_output(execution: Execution, code: str, file: OutputFile) -> dict[str, Any]:
    # A folder of its own: the storage account of the airlock cannot replace outputs of other runs.
    name = f"software/{execution.public_id}/{outfile_of(code)}"
    return {"name": name, "size_bytes": file.size, "sha256": storage.store(name, chunks_of(file))}


def chunks_of(file: OutputFile) -> Iterator[bytes]:
    while chunk := file.stream.read(CHUNK):
        yield chunk


def remove_orphans(engine: Engine) -> None:
    """Remove what is left of executions that have ended, for example on another host meanwhile."""
    current = set(Execution.objects.for_the_airlock().values_list("public_id", flat=True))
    present = engine.run_ids()
    keep = {run_id for run_id in present if run_id.split("-")[0] in current}
    if present - keep:
        log.warning("removing containers of executions that have ended: %s", sorted(present - keep))
        engine.clean(keep=keep)


def outcome_as_json(outcome: Outcome, problems: Sequence[str]) -> dict[str, Any]:
    limit = outcome.limit
    return {
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "limit": {"name": limit.name, "value": limit.value} if limit else None,
        "stopped": outcome.stopped,
        "error_of": outcome.error_of,
        "sentence": outcome.sentence,
        "problems": list(problems),
        "usage": asdict(outcome.usage),
        "log": report.decoded(outcome.log_tail),
    }


def outcome_of_failure(failure: SystemFailure) -> dict[str, Any]:
    """The container could not be started because of the image."""
    return {
        "exit_code": None,
        "signal": None,
        "limit": None,
        "stopped": False,
        "error_of": "system",
        "sentence": "The system could not be started.",
        "problems": [str(failure)],
        "usage": {},
        "log": "",
    }
