"""A leaderboard as it is displayed: rows and columns of figures, printed in the style of each metric.

In: `Facts` and a `BoardQuery`. Out: a `Board`. Nothing is computed here, and the database is queried only
for a standing that this process has not read yet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from evaluation import PROFILES, Presentation
from evaluation.ranking.details import Details
from evaluation.ranking.results import EVERYTHING
from sharedtask.competition.coverage import coverage
from sharedtask.competition.models import Phase, Task
from sharedtask.leaderboard.board.columns import DEFAULT, BoardColumn, MetricScores, columns_of
from sharedtask.leaderboard.board.facts import Facts, facts_of
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.leaderboard.board.rows import BoardRow, rows_of
from sharedtask.standings.figures import figures_of, standing_of
from sharedtask.standings.models import Standing
from sharedtask.standings.signature import signature_of
from sharedtask.standings.standing_view import scope_of
from sharedtask.standings.table_scopes import codes_by_scope

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class Board:
    facts: Facts
    query: BoardQuery
    """Canonical: defaults and unknown values are empty."""
    standing: Standing | None = None
    figures: Details | None = None
    metric: str = ""
    scope: str = EVERYTHING
    columns: tuple[BoardColumn, ...] = ()
    rows: tuple[BoardRow, ...] = ()
    hidden: int = 0
    """Systems that the query filters out."""
    is_exact: bool = False
    """Whether a file may have unrounded figures; otherwise they are as printed."""

    @property
    def presentation(self) -> Presentation:
        """Of the metric that the board is ranked by; for an empty board, of the first main metric."""
        profile = PROFILES[self.facts.profile]
        return profile.presentations[self.metric or profile.main[0]]

    @property
    def other_main(self) -> int:
        """The number of other main metrics; theirs are the first columns after the ranks."""
        return sum(column.is_main for column in self.columns if column.kind == "figure")

    @property
    def best_word(self) -> str:
        """`highest` or `lowest`: how a run of a team is chosen by score."""
        profile = PROFILES[self.facts.profile]
        metric = self.figures.main[0] if self.figures else self.metric or profile.main[0]
        return profile.presentations[metric].best_word

    @property
    def explanations(self) -> list[tuple[str, str]]:
        """Each metric that has a column, and what it counts."""
        presentations = PROFILES[self.facts.profile].presentations
        names = [column.id for column in self.columns if column.kind in ("main", "figure")]
        return [(name, presentations[name].explanation) for name in names]

    @property
    def signature(self) -> str:
        """Of this table: of its metric and of the test sets that it is averaged over."""
        if self.standing is None:
            return ""
        return signature_of(
            self.standing, is_released=self.facts.gold_is_released, metric=self.metric, scope=self.scope
        )

    @property
    def standing_signature(self) -> str:
        """Of the whole standing, with all its metrics and groups."""
        if self.standing is None:
            return ""
        return signature_of(self.standing, is_released=self.facts.gold_is_released)

    @property
    def missing_policy(self) -> Task.MissingPolicy:
        """The one that the standing was computed with."""
        policy = self.standing.table["missing"] if self.standing else self.facts.missing_policy
        return Task.MissingPolicy(policy)

    @property
    def coverage(self) -> str:
        """`16 of 81 test sets`; empty if the task is complete."""
        number = len(self.standing.table["test_sets"]) if self.standing else 0
        return coverage(number, self.facts.test_sets_in_all)

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
    return build(facts_of(viewer, phase, [phase], query, at=at), query)


def build(facts: Facts, query: BoardQuery) -> Board:
    if not facts.standing:
        return Board(facts=facts, query=canonical_query(facts, query))
    standing = standing_of(facts.standing)
    figures = figures_of(standing)
    metric = query.metric if query.metric in figures.metrics else figures.main[0]
    scores = MetricScores(
        figures=figures,
        profile=PROFILES[facts.profile],
        metric=metric,
        scope=scope_of(query.scope, figures.scopes),
    )
    columns = columns_of(scores, standing.table["columns"], standing.table["groups"])
    query = canonical_query(facts, query, scores, columns)
    rows = rows_of(facts, query, scores, columns, standing.table)
    return Board(
        facts=facts,
        query=query,
        standing=standing,
        figures=figures,
        metric=metric,
        scope=scores.scope,
        columns=columns,
        rows=rows,
        hidden=len(facts.entrants) - len(rows),
    )


def canonical_query(
    facts: Facts,
    query: BoardQuery,
    scores: MetricScores | None = None,
    columns: tuple[BoardColumn, ...] = (),
) -> BoardQuery:
    """Without defaults and unknown values, so that every state of the page has one address."""
    first_phase, first_ranking = facts.phases[0][0], facts.rankings[0].ranking if facts.rankings else ""
    sortable = {column.id for column in columns}
    is_sorted = query.sort.removeprefix("-") in sortable and query.sort != DEFAULT
    return replace(
        query,
        phase="" if facts.phase == first_phase else facts.phase,
        ranking="" if facts.ranking == first_ranking else facts.ranking,
        metric=scores.metric if scores and scores.metric != scores.figures.main[0] else "",
        scope=query.scope if scores and scores.scope != EVERYTHING else "",
        sort=query.sort if is_sorted else "",
        preview=query.preview and facts.organises and not facts.is_live,
    )
