"""The standings that a reader may open, and the one that a page about systems is about.

In: a reader, a task, the moment and the address's wishes. Out: `Field`, the figures of one standing with the
systems in it under the names they have for this reader, and the test sets that exist for this reader.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from evaluation import Presentation, Profile
from evaluation.ranking.details import Details
from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.competition import task_access
from sharedtask.competition.metrics import profile_of
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.standings import standing_access
from sharedtask.standings.displayed import runs_in, shown_standings
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

ORDER = ("official", "unofficial", "open")
"""The ranking of record comes first, what is chosen by score last."""


@dataclass(frozen=True, kw_only=True)
class OnShow:
    phase: Phase
    standing: Standing
    publication: Publication | None

    @cached_property
    def runs(self) -> frozenset[str]:
        return frozenset(row["run"] for row in self.standing.table.get("rows", ()))


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A system in a standing: a run, under the name that the reader may know."""

    index: int
    """Its place in the arrays."""
    run: Run
    name: str
    baseline: bool
    withdrawn: bool

    @property
    def id(self) -> str:
        return self.run.public_id


@dataclass(frozen=True, kw_only=True)
class Field:
    """All systems of one standing with their figures."""

    on_show: OnShow
    figures: Details
    entrants: tuple[Entrant, ...]
    test_sets: Mapping[str, TestSet]
    """By code, in the task's order: those of the standing that the reader may know of."""

    @property
    def profile(self) -> Profile:
        return profile_of(self.on_show.phase.task)

    def presentation(self, metric: str) -> Presentation:
        return self.profile.presentations[metric]

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """All metrics of the standing, those that rank first."""
        main = self.figures.main
        return (*main, *(name for name in self.figures.metrics if name not in main))

    def metric_of(self, asked: str | None) -> str:
        """The metric that an address asks for; the first main one where there is none such."""
        return asked if asked in self.figures.metrics else self.figures.main[0]

    @cached_property
    def ranked(self) -> list[int]:
        """Places in the arrays of those that were not withdrawn: the field that others are measured by."""
        return [one.index for one in self.entrants if not one.withdrawn]

    def column(self, code: str) -> int:
        return self.figures.codes.index(code)

    def codes_of(self, scope: str) -> list[str]:
        """The test sets that a scope is averaged over."""
        return [code for code, one in self.test_sets.items() if belongs(one, scope)]

    def entrant(self, run: str) -> Entrant | None:
        return next((one for one in self.entrants if one.id == run), None)


def belongs(test_set: TestSet, scope: str) -> bool:
    if scope.startswith(LANGUAGE):
        return test_set.language_tag == scope.removeprefix(LANGUAGE)
    return scope == EVERYTHING or scope in test_set.groups


def on_show(viewer: Viewer, task: Task, *, at: datetime, preview: bool = False) -> list[OnShow]:
    """Two queries a phase. The ranking of record first, then the others, the latest phase first."""
    found = []
    for phase in standing_access.phases_with_standings(viewer, task, at=at):
        phase.task = task
        publication, standings = shown_standings(viewer, phase, at=at, preview=preview)
        found += [OnShow(phase=phase, standing=one, publication=publication) for one in standings]
    last = len(ORDER)
    return sorted(
        found,
        key=lambda one: ORDER.index(one.standing.ranking) if one.standing.ranking in ORDER else last,
    )


def choose(
    shown: Sequence[OnShow], *, phase: str | None, ranking: str | None, having: Collection[str]
) -> OnShow | None:
    """Of those that the address allows, the first with the most of these runs."""
    allowed = [
        one
        for one in shown
        if (not phase or one.phase.code == phase) and (not ranking or one.standing.ranking == ranking)
    ]
    return max(allowed, key=lambda one: len(one.runs.intersection(having)), default=None)


def field_of(viewer: Viewer, chosen: OnShow, *, at: datetime) -> Field:
    task = chosen.phase.task
    figures = figures_of(chosen.standing)
    names = team_access.names(viewer, task, at=at)
    runs = runs_of(chosen)
    withdrawn = {row["run"] for row in chosen.standing.table["rows"] if row["withdrawn"]}
    known = set(figures.codes)
    return Field(
        on_show=chosen,
        figures=figures,
        entrants=tuple(
            Entrant(
                index=index,
                run=runs[id],
                name=called(names, runs[id]),
                baseline=runs[id].team.is_baseline,
                withdrawn=id in withdrawn,
            )
            for index, id in enumerate(figures.systems)
            if id in runs
        ),
        test_sets={one.code: one for one in task_access.test_sets(viewer, task, at=at) if one.code in known},
    )


def runs_of(chosen: OnShow) -> dict[str, Run]:
    """By public id. The task is at hand already, so that nobody who asks a run for it asks the database."""
    runs = list(runs_in(chosen.standing.table).select_related("team", "system", "phase"))
    for run in runs:
        run.task = run.team.task = run.phase.task = chosen.phase.task
    return {run.public_id: run for run in runs}


def called(names: team_access.Names, run: Run) -> str:
    """A team with several systems in a ranking is told apart by their names."""
    team = names.team(run.team)
    return team if run.system.is_primary else f"{team} ({names.system(run.system, run.team)})"


def scope_of(asked: str | None, scopes: Sequence[str]) -> str:
    """From the address, `lang:en` or a group, to the scope's name; everything where there is none such."""
    wanted = LANGUAGE + asked.removeprefix("lang:") if asked and asked.startswith("lang:") else asked
    return wanted if wanted and wanted in scopes else EVERYTHING
