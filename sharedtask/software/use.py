"""What the software of runs used: processor time, peak memory, time and bytes, of all their containers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import prefetch_related_objects

from sharedtask.software.describe import Figure, use_in_full
from sharedtask.software.models import Execution
from sharedtask.submissions.models import Run


@dataclass(frozen=True, kw_only=True)
class Use:
    version: int
    """The number of the version of the system."""
    figures: Sequence[Figure]


def uses_of(runs: Sequence[Run]) -> dict[int, Use]:
    """By primary key of the run; no query where there are none."""
    if not runs:
        return {}
    executions = Execution.objects.filter(run__in=runs).select_related("version")
    return {
        execution.run_id: Use(version=execution.version.number, figures=use_in_full(execution))
        for execution in executions
        if execution.run_id is not None and execution.usage
    }


def prefetch_inputs(runs: Sequence[Run]) -> None:
    """The test sets whose release decides what may be shown of each run of software."""
    prefetch_related_objects([run for run in runs if run.has_software_output], "phase__test_sets")
