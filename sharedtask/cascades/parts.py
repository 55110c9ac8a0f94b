"""The parts of an experiment: the plain run, the controls, and a run per error class; what each has reached.

In: an experiment. Out: `Part`s in the order in which they are run, each with its newest execution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evaluation.cascades.constraints import ALL, NONE, run_name
from evaluation.cascades.outputs import PLAIN
from sharedtask.cascades.models import Experiment
from sharedtask.software.models import Execution

CONTROLS = {
    PLAIN: "without constraints",
    NONE: "control: an empty file of constraints",
    ALL: "control: all arcs given",
}
"""Run before all others, so that a system that ignores constraints does not waste time."""


@dataclass(frozen=True, kw_only=True)
class Part:
    run: str
    """The name of its files: `plain`, `none`, `all`, or that of a class."""
    title: str
    execution: Execution | None

    @property
    def is_control(self) -> bool:
        return self.run in CONTROLS

    @property
    def is_complete(self) -> bool:
        return self.execution is not None and self.execution.is_complete

    @property
    def is_unusable(self) -> bool:
        """It has ended without the outputs that were asked for."""
        return self.execution is not None and self.execution.is_final and not self.is_complete


def titles(experiment: Experiment) -> dict[str, str]:
    classes = experiment.error_classes.names
    return CONTROLS | {run_name(name): f"constraints on {name}" for name in classes}


def parts_of(experiment: Experiment) -> list[Part]:
    newest: dict[str, Execution] = {}
    executions = Execution.objects.parts_of(experiment.public_id, Execution.Purpose.CASCADES)
    if experiment.state == Experiment.State.DONE and experiment.finished_at is not None:
        # The figures are of these; a part that was restarted later has changed nothing.
        executions = executions.filter(requested_at__lte=experiment.finished_at)
    for execution in executions.order_by("pk"):
        newest[execution.part] = execution
    if experiment.resumed_at is not None:
        newest = {part: each for part, each in newest.items() if still_counts(each, experiment.resumed_at)}
    return [
        Part(run=run, title=title, execution=newest.get(title)) for run, title in titles(experiment).items()
    ]


def still_counts(execution: Execution, resumed_at: datetime) -> bool:
    """Not one without a result that was requested before the experiment was resumed."""
    return execution.requested_at >= resumed_at or execution.is_complete or not execution.is_final


def all_complete(parts: Sequence[Part]) -> bool:
    return all(part.is_complete for part in parts)
