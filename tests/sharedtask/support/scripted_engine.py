"""An engine that runs a function of the test instead of a container, for tests of what the site does with it.

Tests of containers themselves use a real engine. This one has the interface of `airlock.engine.Engine`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from airlock.engine import (
    ImageNotAccepted,
    LimitReached,
    Observation,
    OtherPurpose,
    Outcome,
    OutputFile,
    RunSpec,
    Usage,
)


@dataclass
class Script:
    """What a system does: its outputs by name, and how it ends."""

    write: Callable[[Mapping[str, bytes]], Mapping[str, bytes]]
    """From the input files to the output files."""
    exit_code: int | None = 0
    signal: int | None = None
    limit: LimitReached | None = None
    platform_error: bool = False
    log: bytes = b""
    observations: int = 1
    """How often it is observed before it has ended."""
    cpu_seconds: float = 1.0
    during: Callable[[], None] = lambda: None
    """Called at every observation."""


@dataclass
class ScriptedRunning:
    run_id: str
    script: Script
    outputs_written: Mapping[str, bytes]
    engine: ScriptedEngine
    observed: int = 0
    stopped: bool = False

    def observe(self) -> Observation:
        self.script.during()
        ended = self.stopped or self.observed >= self.script.observations
        self.observed += 1
        return Observation(
            state="ended" if ended else "running",
            wall_seconds=float(self.observed),
            seconds_left=100.0,
            cpu_seconds=self.script.cpu_seconds,
            memory_bytes=10_000_000,
            memory_limit=100_000_000,
            output_bytes=sum(map(len, self.outputs_written.values())),
            output_files=len(self.outputs_written),
            output_names=tuple(sorted(self.outputs_written)),
            log_bytes=len(self.script.log),
            log_tail=self.script.log,
        )

    def stop(self) -> None:
        self.stopped = True

    def finish(self) -> Outcome:
        script = self.script
        failed = bool(script.exit_code or script.signal or script.limit)
        return Outcome(
            exit_code=None if self.stopped else script.exit_code,
            signal=9 if self.stopped else script.signal,
            limit=script.limit,
            stopped=self.stopped,
            error_of="platform" if script.platform_error else "system" if failed else None,
            sentence="The system ended.",
            usage=Usage(
                wall_seconds=float(self.observed),
                cpu_seconds=script.cpu_seconds,
                peak_memory_bytes=20_000_000,
                output_bytes=sum(map(len, self.outputs_written.values())),
                output_files=len(self.outputs_written),
                log_bytes=len(script.log),
            ),
            log_tail=script.log,
        )

    def outputs(self) -> Iterator[OutputFile]:
        for name, content in self.outputs_written.items():
            yield OutputFile(name=name, size=len(content), problem=None, stream=io.BytesIO(content))

    def remove(self) -> None:
        self.engine.runs.pop(self.run_id, None)


@dataclass
class ScriptedEngine:
    script: Script
    runs: dict[str, ScriptedRunning] = field(default_factory=dict)
    images: set[str] = field(default_factory=set)
    image_bytes: int = 8
    most_images: int | None = None
    """With more images its disk is full."""
    started: list[RunSpec] = field(default_factory=list)
    description: str = "a scripted engine"
    refusal: str | None = None
    purpose: str = ""

    def claim(self, purpose: str) -> None:
        self.purpose = self.purpose or purpose
        if self.purpose != purpose:
            raise OtherPurpose(f"The engine runs {self.purpose}.")

    def close(self) -> None:
        """There is no connection."""

    def load(self, archive: BinaryIO, image_id: str) -> None:
        assert archive.read(1), "an image is not empty"
        if self.most_images is not None and len(self.images) >= self.most_images:
            raise ImageNotAccepted("The engine could not load the image: no space left on device")
        self.images.add(image_id)

    def has_image(self, image_id: str) -> bool:
        return image_id in self.images

    def remove_image(self, image_id: str) -> None:
        self.images.discard(image_id)

    def image_ids(self) -> set[str]:
        return set(self.images)

    def image_sizes(self) -> dict[str, int]:
        return dict.fromkeys(self.images, self.image_bytes)

    def start(self, spec: RunSpec) -> ScriptedRunning:
        inputs = {
            name: content.read_bytes() if isinstance(content, Path) else content
            for name, content in spec.inputs.items()
        }
        self.started.append(spec)
        written = self.script.write(inputs)
        running = ScriptedRunning(
            run_id=spec.run_id, script=self.script, outputs_written=written, engine=self
        )
        self.runs[spec.run_id] = running
        return running

    def find(self, run_id: str) -> ScriptedRunning | None:
        return self.runs.get(run_id)

    def run_ids(self) -> set[str]:
        return set(self.runs)

    def clean(self, *, keep: Collection[str] = ()) -> set[str]:
        removed = set(self.runs) - set(keep)
        for run_id in removed:
            del self.runs[run_id]
        return removed
