"""A standing as result pages show it to a viewer: its figures, its systems and its test sets.

In: a `VisibleStanding`. Out: `StandingView`, with the names that systems have for this viewer, and the test
sets that this viewer may know of. Every result page is built from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING

from evaluation import Presentation, Profile
from evaluation.ranking.details import Details
from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.competition import task_access
from sharedtask.competition.coverage import coverage
from sharedtask.competition.metrics import presentation_of, profile_of
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.competition.treebanks import format_of
from sharedtask.standings import standing_access
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Standing
from sharedtask.standings.signature import signature_of
from sharedtask.standings.table import runs_in
from sharedtask.standings.visible_standings import VisibleStanding
from sharedtask.submissions.models import Run
from sharedtask.teams import team_access

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A system in a standing: a run, under the names that the viewer may know."""

    index: int
    """Its place in the arrays."""
    run: Run
    team_name: str
    system_name: str
    name: str
    """Of both, as on every page."""
    is_named: bool
    """Whether these are the real names."""
    is_described: bool
    """Whether the viewer may see what the team says about the system; never under a pseudonym."""
    withdrawn: bool

    @property
    def id(self) -> str:
        return self.run.public_id

    @property
    def is_primary(self) -> bool:
        return self.run.system.is_primary

    @property
    def baseline(self) -> bool:
        return self.run.team.is_baseline

    @property
    def affiliation(self) -> str:
        """Empty under a pseudonym, which it would reveal."""
        return self.run.team.affiliation if self.is_named else ""

    @property
    def paper_url(self) -> str:
        return self.run.system.paper_url if self.is_described else ""

    @property
    def code_url(self) -> str:
        return self.run.system.code_url if self.is_described else ""


@dataclass(frozen=True, kw_only=True)
class StandingView:
    """All systems of one standing with their figures."""

    source: VisibleStanding
    figures: Details
    entrants: tuple[Entrant, ...]
    """In the order of the standing."""
    read_test_sets: Callable[[], Iterable[TestSet]]
    """Reads the task's test sets that the viewer may know of. The leaderboard does without them."""
    is_released: bool
    """All gold that it was computed with is public."""

    @property
    def phase(self) -> Phase:
        return self.source.phase

    @property
    def standing(self) -> Standing:
        return self.source.standing

    @property
    def task(self) -> Task:
        return self.phase.task

    @property
    def profile(self) -> Profile:
        return profile_of(self.task)

    @property
    def has_trees(self) -> bool:
        """Whether the files of its track have trees, so that their sentences can be browsed."""
        return format_of(self.task, self.standing.track).trees

    @property
    def missing_policy(self) -> Task.MissingPolicy:
        """The one that the standing was computed with."""
        return Task.MissingPolicy(self.standing.table["missing"])

    @property
    def coverage(self) -> str:
        """`16 of 81 test sets`; empty if the task is complete."""
        return coverage(len(self.test_sets), self.task.test_sets_total)

    @cached_property
    def test_sets(self) -> Mapping[str, TestSet]:
        """By code, in the task's order: those of the standing that the viewer may know of."""
        codes = self.figures.codes
        return {test_set.code: test_set for test_set in self.read_test_sets() if test_set.code in codes}

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """All metrics of the standing, the main ones first."""
        main = self.figures.main
        return (*main, *(name for name in self.figures.metrics if name not in main))

    @cached_property
    def ranked(self) -> list[int]:
        """The places in the arrays of all systems that were not withdrawn."""
        return [entrant.index for entrant in self.entrants if not entrant.withdrawn]

    def presentation(self, metric: str) -> Presentation:
        return presentation_of(self.task, metric)

    def metric_of(self, name: str) -> str:
        """The metric that an address names; the first main one if there is no such metric."""
        return name if name in self.figures.metrics else self.figures.main[0]

    def scope_of(self, name: str) -> str:
        """The scope that an address names, as `lang:en` or a group; everything if there is no such scope."""
        scope = LANGUAGE + name.removeprefix("lang:") if name.startswith("lang:") else name
        return scope if scope in self.figures.scopes else EVERYTHING

    def metric_index(self, metric: str) -> int:
        return self.figures.metrics.index(metric)

    def scope_index(self, scope: str) -> int:
        return self.figures.scopes.index(scope)

    def set_index(self, code: str) -> int:
        return self.figures.codes.index(code)

    def signature(self, metric: str = "", scope: str = EVERYTHING) -> str:
        """Of a table with these figures; without a metric, of the whole standing."""
        return signature_of(self.standing, is_released=self.is_released, metric=metric, scope=scope)

    def codes_of(self, scope: str) -> list[str]:
        """The test sets that a scope is averaged over, as far as the viewer may know of them."""
        return [code for code, test_set in self.test_sets.items() if belongs(test_set, scope)]

    def entrant(self, run: str) -> Entrant | None:
        return next((entrant for entrant in self.entrants if entrant.id == run), None)


def belongs(test_set: TestSet, scope: str) -> bool:
    if scope.startswith(LANGUAGE):
        return test_set.language_tag == scope.removeprefix(LANGUAGE)
    return scope == EVERYTHING or scope in test_set.groups


def view_standing(viewer: Viewer, source: VisibleStanding, *, at: datetime) -> StandingView:
    """Two queries for a visitor, and one more for pages that show test sets."""
    task = source.phase.task
    figures = figures_of(source.standing)
    return StandingView(
        source=source,
        figures=figures,
        entrants=tuple(entrants_of(viewer, source, figures.systems, at=at)),
        read_test_sets=partial(task_access.test_sets, viewer, task, at=at),
        is_released=standing_access.gold_is_released(source.standing, at=at),
    )


def entrants_of(
    viewer: Viewer, source: VisibleStanding, systems: Sequence[str], *, at: datetime
) -> list[Entrant]:
    runs = runs_of(source)
    names = team_access.names(viewer, source.phase.task, at=at)
    withdrawn = {row["run"] for row in source.standing.table["rows"] if row["withdrawn"]}
    return [
        Entrant(
            index=index,
            run=runs[id],
            team_name=names.team(runs[id].team),
            system_name=names.system(runs[id].system, runs[id].team),
            name=display_name(names, runs[id]),
            is_named=names.are_real_names_shown(runs[id].team),
            is_described=names.are_descriptions_shown(runs[id].team),
            withdrawn=id in withdrawn,
        )
        for index, id in enumerate(systems)
        if id in runs
    ]


def runs_of(source: VisibleStanding) -> dict[str, Run]:
    """By public id. Their phase and task are set here, so that reading them costs no further query."""
    runs = list(runs_in(source.standing.table).of_results().order_by())
    phases = {source.phase.pk: source.phase}
    # The best runs of teams may be of other phases.
    if others := {run.phase_id for run in runs} - phases.keys():
        phases |= Phase.objects.in_bulk(others)
    for run in runs:
        run.phase = phases[run.phase_id]
        run.task = run.team.task = run.phase.task = source.phase.task
    return {run.public_id: run for run in runs}


def display_name(names: team_access.Names, run: Run) -> str:
    """The team; for its secondary systems with the name of the system."""
    team = names.team(run.team)
    return team if run.system.is_primary else f"{team} ({names.system(run.system, run.team)})"


def unique_names(names: team_access.Names, runs: Sequence[Run]) -> dict[str, str]:
    """A system with several runs is named with the number of each."""
    number = Counter(run.system_id for run in runs)
    return {
        run.public_id: display_name(names, run) + (f", run {run.number}" if number[run.system_id] > 1 else "")
        for run in runs
    }
