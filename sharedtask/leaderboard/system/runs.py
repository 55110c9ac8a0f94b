"""The runs of a system that the reader may know of, how long scoring them took, and what software used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Sum

from sharedtask.software.use import Use, prefetch_inputs, uses_of
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System
from sharedtask.visibility.terms import Thing

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class RunRow:
    run: Run
    state: str
    """As the reader may know it."""
    seconds: float | None
    """Of scoring; None if the reader may not know it, and if nothing was scored."""
    use: Use | None
    """Of a run of software, if the reader may know it."""


def run_rows(viewer: Viewer, system: System, *, at: datetime) -> list[RunRow]:
    """Latest first. The number of queries does not depend on the number of runs."""
    related = ("task", "phase__task", "team", "system")
    all_runs = list(system.runs.select_related(*related).order_by("-received_at", "-number"))
    prefetch_inputs(all_runs)
    runs = run_access.runs_with(viewer, Thing.VALIDITY, all_runs, at=at)
    seconds = scoring_seconds(run_access.runs_with(viewer, Thing.RESOURCES, runs, at=at))
    of_software = [run for run in runs if run.origin == Run.Origin.SOFTWARE]
    uses = uses_of(run_access.runs_with(viewer, Thing.CONTAINER_USE, of_software, at=at))
    states = run_access.states_of_own_runs(viewer, system.team.task, runs, at=at)
    return [
        RunRow(run=run, state=state, seconds=seconds.get(run.pk), use=uses.get(run.pk))
        for run, state in states
    ]


def scoring_seconds(runs: Sequence[Run]) -> Mapping[int, float]:
    if not runs:
        return {}
    scores = Score.objects.filter(file__run__in=runs).done().in_force().values("file__run")
    totals = scores.annotate(seconds=Sum("duration_seconds")).values_list("file__run", "seconds")
    return {run: seconds for run, seconds in totals if seconds is not None}
