"""The runs of a system, as far as the reader may know of them, and how long scoring took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Sum

from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System
from sharedtask.visibility.terms import Thing

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class Listed:
    run: Run
    state: str
    """As the reader may be told."""
    seconds: float | None
    """Of scoring; None where the reader may not know it, and where nothing was scored."""


def runs_of(viewer: Viewer, system: System, *, at: datetime) -> list[Listed]:
    """Latest first; as many queries for one run as for a hundred."""
    related = ("task", "phase__task", "team", "system")
    own = system.runs.select_related(*related).order_by("-received_at", "-number")
    runs = run_access.runs_with(viewer, Thing.VALIDITY, own, at=at)
    seconds = durations(run_access.runs_with(viewer, Thing.RESOURCES, runs, at=at))
    told = run_access.states_of_own_runs(viewer, system.team.task, runs, at=at)
    return [Listed(run=run, state=state, seconds=seconds.get(run.pk)) for run, state in told]


def durations(runs: list[Run]) -> Mapping[int, float]:
    if not runs:
        return {}
    scored = Score.objects.filter(file__run__in=runs).done().in_force().values("file__run")
    totals = scored.annotate(seconds=Sum("duration_seconds")).values_list("file__run", "seconds")
    return {run: seconds for run, seconds in totals if seconds is not None}
