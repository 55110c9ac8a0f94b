"""Which series a viewer may see, and under which names.

In: a viewer, a task, the moment. Out: `VisibleSeries`, for which all of this holds: the breakdowns of all its
runs are visible to the viewer, and the gold of all its test sets is released to the viewer. Systems on its
curve are left out unless their own breakdowns are visible. The number of queries does not grow with the
series.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from evaluation.curves import tallies
from evaluation.curves.analysis import Analysis
from evaluation.curves.stored import from_bytes
from evaluation.curves.tallies import Tallies
from sharedtask.accounts.roles import Viewer, team_id_of
from sharedtask.competition import task_access
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.curves.models import SeriesAnalysis
from sharedtask.standings.standing_view import display_name, unique_names
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access
from sharedtask.teams.models import System
from sharedtask.visibility.terms import Thing


@dataclass(frozen=True, kw_only=True)
class VisibleSeries:
    row: SeriesAnalysis
    name: str
    runs: Sequence[Run]
    placed: Mapping[str, str]
    """By the public id of a run that the viewer may see, the name to show."""
    is_own: bool

    @cached_property
    def analyses(self) -> list[Analysis]:
        """By every criterion; systems under their names."""
        stored = bytes(SeriesAnalysis.objects.values_list("result", flat=True).get(pk=self.row.pk))
        return [with_names(analysis, self.placed) for analysis in from_bytes(stored)] if stored else []

    @cached_property
    def tallies(self) -> dict[str, Tallies]:
        """By the code of the test set."""
        stored = bytes(SeriesAnalysis.objects.values_list("tallies", flat=True).get(pk=self.row.pk))
        return tallies.from_bytes(stored) if stored else {}

    def by(self, criterion: str) -> list[Analysis]:
        return [analysis for analysis in self.analyses if analysis.by == criterion]


def visible_series(
    viewer: Viewer, task: Task, *, at: datetime, system: System | None = None
) -> list[VisibleSeries]:
    rows = SeriesAnalysis.objects.filter(phase__task=task, analysed_at__isnull=False).defer(
        "result", "tallies"
    )
    if system is not None:
        rows = rows.filter(system=system)
    rows = rows.select_related("system__team", "phase").order_by("phase__opens_at", "system__name", "pk")
    listed = [row for row in rows if row.runs and row.gold]
    if not listed:
        return []
    runs = visible_runs(viewer, listed, at=at)
    gold = available_gold(viewer, listed, at=at)
    names = team_access.names(viewer, task, at=at)
    own_team = team_id_of(viewer, task)
    return [
        VisibleSeries(
            row=row,
            name=display_name(names, runs[row.runs[0]]),
            runs=[runs[id] for id in row.runs],
            placed=unique_names(names, [runs[id] for id in row.placed if id in runs]),
            is_own=own_team == row.system.team_id,
        )
        for row in listed
        if all(id in runs for id in row.runs) and gold.issuperset(row.gold)
    ]


def visible_runs(viewer: Viewer, rows: Iterable[SeriesAnalysis], *, at: datetime) -> dict[str, Run]:
    ids = {id for row in rows for id in (*row.runs, *row.placed)}
    runs = Run.objects.filter(public_id__in=ids).select_related("task", "phase__task", "team", "system")
    return {run.public_id: run for run in run_access.runs_with(viewer, Thing.BREAKDOWN, runs, at=at)}


def available_gold(viewer: Viewer, rows: Iterable[SeriesAnalysis], *, at: datetime) -> set[int]:
    versions = GoldVersion.objects.filter(pk__in={key for row in rows for key in row.gold})
    return {
        version.pk
        for version in versions.select_related("test_set__task")
        if version.test_set.is_revealed(at=at) and task_access.gold_is_available(viewer, version, at=at)
    }


def with_names(analysis: Analysis, names: Mapping[str, str]) -> Analysis:
    """Systems under these names, without all others."""
    return replace(
        analysis,
        systems={names[id]: system for id, system in analysis.systems.items() if id in names},
        differences=[
            replace(difference, first=names[difference.first], second=names[difference.second])
            for difference in analysis.differences
            if difference.first in names and difference.second in names
        ],
        notes=tuple(note for note in analysis.notes if not any(id in note for id in analysis.systems)),
    )
