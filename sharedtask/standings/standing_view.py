"""The standings that a reader may see, and one of them as pages about systems show it.

In: a reader, a task, the moment, and what the address asks for. Out: `VisibleStanding`s to choose from; and
`StandingView`, the figures of one standing with its systems, under the names they have for this reader, and
the test sets that this reader may know of.
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
from sharedtask.competition.coverage import coverage
from sharedtask.competition.metrics import profile_of
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.standings import standing_access
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.phase_standings import standings_and_publication
from sharedtask.standings.signature import signature_of
from sharedtask.standings.table import runs_in
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

ORDER = ("official", "unofficial", "open")
"""The ranking of record comes first, and `best`, which is chosen by score, last."""


@dataclass(frozen=True, kw_only=True)
class VisibleStanding:
    phase: Phase
    standing: Standing
    publication: Publication | None

    @cached_property
    def runs(self) -> frozenset[str]:
        return frozenset(row["run"] for row in self.standing.table.get("rows", ()))

    @property
    def order(self) -> int:
        ranking = self.standing.ranking
        return ORDER.index(ranking) if ranking in ORDER else len(ORDER)


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
class StandingView:
    """All systems of one standing with their figures."""

    source: VisibleStanding
    figures: Details
    entrants: tuple[Entrant, ...]
    test_sets: Mapping[str, TestSet]
    """By code, in the task's order: those of the standing that the reader may know of."""
    is_released: bool
    """All gold that it was computed with is public."""

    @property
    def profile(self) -> Profile:
        return profile_of(self.source.phase.task)

    @property
    def missing_policy(self) -> Task.MissingPolicy:
        """The one that the standing was computed with."""
        return Task.MissingPolicy(self.source.standing.table["missing"])

    @property
    def coverage(self) -> str:
        """`16 of 81 test sets`; empty if the task is complete."""
        return coverage(len(self.test_sets), self.source.phase.task.test_sets_in_all)

    def presentation(self, metric: str) -> Presentation:
        return self.profile.presentations[metric]

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """All metrics of the standing, the main ones first."""
        main = self.figures.main
        return (*main, *(name for name in self.figures.metrics if name not in main))

    def metric_of(self, name: str | None) -> str:
        """The metric that an address names; the first main one if there is no such metric."""
        return name if name in self.figures.metrics else self.figures.main[0]

    @cached_property
    def ranked(self) -> list[int]:
        """The places in the arrays of all systems that were not withdrawn."""
        return [entrant.index for entrant in self.entrants if not entrant.withdrawn]

    def signature(self, metric: str = "", scope: str = EVERYTHING) -> str:
        """Of a table with these figures; without a metric, of the whole standing."""
        return signature_of(self.source.standing, is_released=self.is_released, metric=metric, scope=scope)

    def column(self, code: str) -> int:
        return self.figures.codes.index(code)

    def codes_of(self, scope: str) -> list[str]:
        """The test sets that a scope is averaged over."""
        return [code for code, test_set in self.test_sets.items() if belongs(test_set, scope)]

    def entrant(self, run: str) -> Entrant | None:
        return next((entrant for entrant in self.entrants if entrant.id == run), None)


def belongs(test_set: TestSet, scope: str) -> bool:
    if scope.startswith(LANGUAGE):
        return test_set.language_tag == scope.removeprefix(LANGUAGE)
    return scope == EVERYTHING or scope in test_set.groups


def visible_standings(
    viewer: Viewer, task: Task, *, at: datetime, preview: bool = False
) -> list[VisibleStanding]:
    """Two queries per phase. The ranking of record first, then the others, the latest phase first."""
    visible = []
    for phase in standing_access.phases_with_standings(viewer, task, at=at):
        phase.task = task
        standings, publication = standings_and_publication(viewer, phase, at=at, preview=preview)
        visible += [
            VisibleStanding(phase=phase, standing=standing, publication=publication) for standing in standings
        ]
    return sorted(visible, key=lambda each: each.order)


def choose_standing(
    visible: Sequence[VisibleStanding], *, phase: str | None, ranking: str | None, having: Collection[str]
) -> VisibleStanding | None:
    """Of those that the address allows, the first with the most of these runs."""
    allowed = [
        each
        for each in visible
        if (not phase or each.phase.code == phase) and (not ranking or each.standing.ranking == ranking)
    ]
    return max(allowed, key=lambda each: len(each.runs.intersection(having)), default=None)


def view_standing(viewer: Viewer, source: VisibleStanding, *, at: datetime) -> StandingView:
    task = source.phase.task
    figures = figures_of(source.standing)
    names = team_access.names(viewer, task, at=at)
    runs = runs_of(source)
    withdrawn = {row["run"] for row in source.standing.table["rows"] if row["withdrawn"]}
    test_sets = task_access.test_sets(viewer, task, at=at)
    return StandingView(
        source=source,
        figures=figures,
        entrants=tuple(
            Entrant(
                index=index,
                run=runs[id],
                name=display_name(names, runs[id]),
                baseline=runs[id].team.is_baseline,
                withdrawn=id in withdrawn,
            )
            for index, id in enumerate(figures.systems)
            if id in runs
        ),
        test_sets={test_set.code: test_set for test_set in test_sets if test_set.code in figures.codes},
        is_released=standing_access.gold_is_released(source.standing, at=at),
    )


def runs_of(source: VisibleStanding) -> dict[str, Run]:
    """By public id. Their task is set here, so that reading it costs no further query."""
    runs = list(runs_in(source.standing.table).select_related("team", "system", "phase"))
    for run in runs:
        run.task = run.team.task = run.phase.task = source.phase.task
    return {run.public_id: run for run in runs}


def display_name(names: team_access.Names, run: Run) -> str:
    """The team; for its secondary systems with the name of the system."""
    team = names.team(run.team)
    return team if run.system.is_primary else f"{team} ({names.system(run.system, run.team)})"


def scope_of(value: str | None, scopes: Sequence[str]) -> str:
    """The scope that an address names, as `lang:en` or a group; everything if there is no such scope."""
    scope = LANGUAGE + value.removeprefix("lang:") if value and value.startswith("lang:") else value
    return scope if scope and scope in scopes else EVERYTHING
