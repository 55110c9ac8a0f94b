"""A leaderboard as it is displayed: rows and columns of figures, printed in the style of each metric.

In: `BoardFacts` and a `BoardQuery`. Out: a `Board`. Nothing is computed here, and no query is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from evaluation import Presentation
from evaluation.ranking.results import EVERYTHING
from sharedtask.competition.averaging import AveragingText, averaging_text, missing_policy_by
from sharedtask.competition.coverage import coverage
from sharedtask.competition.metrics import main_metrics, presentation_of, presentations_of
from sharedtask.competition.models import Phase, Task
from sharedtask.leaderboard.board.columns import DEFAULT, BoardColumn, MetricScores, columns_of
from sharedtask.leaderboard.board.gather import BoardFacts, choose_phase, gather_facts
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.leaderboard.board.rows import BoardRow, rows_of
from sharedtask.standings.models import Standing
from sharedtask.standings.standing_view import StandingView
from sharedtask.standings.table_scopes import codes_by_scope
from sharedtask.standings.visible_standings import ResultPhases, result_phases

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class Board:
    facts: BoardFacts
    query: BoardQuery
    """Canonical: defaults and unknown values are empty."""
    metric: str = ""
    scope: str = EVERYTHING
    columns: tuple[BoardColumn, ...] = ()
    rows: tuple[BoardRow, ...] = ()
    hidden: int = 0
    """Systems that the query filters out."""
    is_exact: bool = False
    """Whether a file may have unrounded figures; otherwise they are as printed."""

    @property
    def view(self) -> StandingView | None:
        return self.facts.view

    @property
    def standing(self) -> Standing | None:
        return self.view.standing if self.view else None

    @property
    def presentation(self) -> Presentation:
        """Of the metric that the board is ranked by; for an empty board, of the first main metric."""
        return presentation_of(self.facts.task, self.metric or main_metrics(self.facts.task)[0])

    @property
    def averaging(self) -> AveragingText:
        """How the figures are averaged, in words."""
        return averaging_text(self.facts.task, self.metric or main_metrics(self.facts.task)[0])

    @property
    def has_figure_beside_interval(self) -> bool:
        return any(row.is_beside_interval for row in self.rows)

    @property
    def row_policy(self) -> Task.OpenPolicy:
        """Which run of a system has a row, in rankings with one row per system."""
        phase = self.facts.phase
        return Task.OpenPolicy.LATEST if phase.is_official else Task.OpenPolicy(phase.open_policy)

    @property
    def is_selected_by_score(self) -> bool:
        return self.facts.ranking == "best" or self.row_policy == Task.OpenPolicy.BEST

    @property
    def best_word(self) -> str:
        """How a team's best run is chosen: `highest` or `lowest`."""
        return self.view.presentation(self.view.figures.main[0]).best_word if self.view else ""

    @property
    def explanations(self) -> list[tuple[str, str]]:
        """Each metric that has a column, and what it counts."""
        presentations = presentations_of(self.facts.task)
        names = [column.id for column in self.columns if column.kind in ("main", "figure")]
        return [(name, presentations[name].explanation) for name in names]

    @property
    def signature(self) -> str:
        """Of this table: of its metric and of the test sets that it is averaged over."""
        return self.view.signature(self.metric, self.scope) if self.view else ""

    @property
    def standing_signature(self) -> str:
        """Of the whole standing, with all its metrics and groups."""
        return self.view.signature() if self.view else ""

    @property
    def missing_policy(self) -> Task.MissingPolicy:
        """The one that the standing was computed with, as it holds for the metric of the board."""
        task = Task.MissingPolicy(self.facts.task.missing_policy)
        return missing_policy_by(self.view.missing_policy if self.view else task, self.presentation)

    @property
    def coverage(self) -> str:
        """`16 of 81 test sets`, of which the figures are averages; empty if the task is complete."""
        number = len(self.view.figures.codes) if self.view else 0
        return coverage(number, self.facts.task.test_sets_total)

    @property
    def codes(self) -> list[str]:
        """The test sets that the figures are averages over."""
        return codes_by_scope(self.standing.table)[self.scope] if self.standing else []

    @property
    def gold_versions(self) -> str:
        """`1`, except for test sets whose gold was corrected."""
        numbers = self.standing.table.get("gold", {}) if self.standing else {}
        corrected = [f"{code} {number}" for code, number in sorted(numbers.items()) if number != 1]
        return f"1, except {', '.join(corrected)}" if corrected else "1"


def build_for_phase(
    viewer: Viewer,
    phase: Phase,
    *,
    at: datetime,
    ranking: str = "",
    metric: str = "",
    preview: bool = False,
) -> Board:
    """For pages that show a leaderboard among other things."""
    query = BoardQuery(ranking=ranking, metric=metric, preview=preview)
    phases = ResultPhases(visible=(phase,), unpublished=())
    return build(gather_facts(viewer, phase, phases, query, at=at), query)


def build_default(viewer: Viewer, slug: str, *, at: datetime) -> Board | None:
    """What the leaderboard of a task shows unasked; None if there are no standings for this viewer."""
    phases, query = result_phases(viewer, slug, at=at), BoardQuery()
    phase = choose_phase(phases, query)
    return build(gather_facts(viewer, phase, phases, query, at=at), query) if phase else None


def build(facts: BoardFacts, query: BoardQuery) -> Board:
    view = facts.view
    if view is None:
        return Board(facts=facts, query=canonical_query(facts, query))
    scores = MetricScores(view=view, metric=view.metric_of(query.metric), scope=view.scope_of(query.scope))
    columns = columns_of(scores)
    query = canonical_query(facts, query, scores, columns)
    rows = rows_of(query, scores, columns)
    return Board(
        facts=facts,
        query=query,
        metric=scores.metric,
        scope=scores.scope,
        columns=columns,
        rows=rows,
        hidden=len(view.entrants) - len(rows),
    )


def canonical_query(
    facts: BoardFacts,
    query: BoardQuery,
    scores: MetricScores | None = None,
    columns: tuple[BoardColumn, ...] = (),
) -> BoardQuery:
    """Without defaults and unknown values, so that every state of the page has one address."""
    default_phase = facts.phases.visible[0].code
    standings = facts.results.standings
    default_track = standings[0].track if standings else ""
    of_track = [standing.ranking for standing in standings if standing.track == facts.track]
    default_ranking = of_track[0] if of_track else ""
    sortable = {column.id for column in columns}
    is_sorted = query.sort.removeprefix("-") in sortable and query.sort != DEFAULT
    return replace(
        query,
        phase="" if facts.phase.code == default_phase else facts.phase.code,
        track="" if facts.track == default_track else facts.track,
        ranking="" if facts.ranking == default_ranking else facts.ranking,
        metric=scores.metric if scores and scores.metric != scores.view.figures.main[0] else "",
        scope=query.scope if scores and scores.scope != EVERYTHING else "",
        sort=query.sort if is_sorted else "",
        preview=query.preview and facts.results.may_preview,
    )
