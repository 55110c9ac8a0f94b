"""The progress of a standing that takes long: it is saved, and continued by the next worker.

In: the inputs of a standing and a deadline. Out: a `Checkpoint` for `evaluation`. Once a minute the state is
stored, sealed, and at the deadline, well before the time limit of a task, `ToBeContinued` is raised. So any
number of replicates can be computed, and a worker that dies loses a minute of work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from django.conf import settings

from evaluation.packing import pack, unpack
from evaluation.ranking.checkpoint import Checkpoint
from sharedtask.competition.models import StandingRequest
from sharedtask.core import sealing, storage
from sharedtask.standings.entries import Inputs

FORMAT = "progress 1"
FOLDER = "progress"
KEPT = "set-"
"""Before the key of the kept figures of a test set."""
SECONDS_BETWEEN_SAVES = 60.0
SHARE_OF_LIMIT = 0.5
"""The part of a task's time limit after which it stops; a step and saving take some seconds more."""


class ToBeContinued(Exception):
    """The time of this task is over; what it has done is stored."""


def seconds_per_task() -> float:
    return SHARE_OF_LIMIT * float(settings.CELERY_TASK_SOFT_TIME_LIMIT)


@dataclass
class Deadline:
    """Shared by everything that one task computes."""

    seconds: float
    began: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        return time.monotonic() - self.began >= self.seconds


def prefix_of(phase_id: int) -> str:
    return f"{FOLDER}/{phase_id}-"


def abandoned(names: Iterable[str]) -> list[str]:
    """Stored progress of phases whose standings are no longer requested: nobody will continue it.

    Figures of test sets are not progress: they are kept for later standings, see `set_parts.py`.
    """
    requested = StandingRequest.objects.values_list("phase", flat=True)
    prefixes = (f"{FOLDER}/{KEPT}", *(prefix_of(phase_id) for phase_id in requested))
    return [name for name in names if not name.startswith(prefixes)]


class Progress(Checkpoint):
    def __init__(self, inputs: Inputs, deadline: Deadline) -> None:
        self.inputs, self.deadline = inputs, deadline
        # One file per ranking: the progress of other inputs is of no use any more.
        track = f"{inputs.track}-" if inputs.track else ""
        self.name = f"{prefix_of(inputs.phase.pk)}{track}{inputs.ranking}"
        self.saved_at = time.monotonic()
        super().__init__(self.load())

    def load(self) -> dict[str, bytes]:
        """Empty if there is nothing, or if it belongs to other inputs or an earlier version."""
        try:
            arrays, strings = unpack(FORMAT, sealing.unseal(storage.read(self.name)))
        except (FileNotFoundError, sealing.DamagedSeal, ValueError):
            return {}
        if strings["inputs"] != self.inputs.sha256:
            return {}
        return {name: array.tobytes() for name, array in arrays.items()}

    def step(self, part: str, state: Callable[[], bytes], *, share: float) -> None:
        is_over = self.deadline.is_over
        if not is_over and time.monotonic() - self.saved_at < SECONDS_BETWEEN_SAVES:
            return
        self.parts[part] = state()
        self.save()
        self.show(share)
        if is_over:
            raise ToBeContinued

    def finish_set(self) -> None:
        """The figures of a test set are kept: this is a good moment to stop."""
        self.show(1.0)
        if self.deadline.is_over:
            raise ToBeContinued

    def show(self, share: float) -> None:
        per_cent = int(100 * self.total(share))
        StandingRequest.objects.filter(phase=self.inputs.phase).update(
            progress=f"{self.inputs.ranking}, {per_cent}%"
        )

    def save(self) -> None:
        arrays = {name: np.frombuffer(content, dtype=np.uint8) for name, content in self.parts.items()}
        stored = pack(FORMAT, arrays, {"inputs": self.inputs.sha256})
        storage.store(self.name, [sealing.seal(stored)])
        self.saved_at = time.monotonic()

    def forget(self) -> None:
        storage.remove(self.name)
