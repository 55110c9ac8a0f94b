"""A leaderboard as it is shown: rows and columns of figures, printed as each metric asks.

In: `Facts` and `Wishes`. Out: a `Board`. Nothing is computed here and no database is asked, but for a
standing that this process has not read yet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from evaluation import PROFILES, Presentation
from evaluation.ranking.details import Details
from evaluation.ranking.results import EVERYTHING
from sharedtask.competition.models import Phase
from sharedtask.leaderboard.board.columns import DEFAULT, Column, Slice, columns_of
from sharedtask.leaderboard.board.facts import Facts, facts_of
from sharedtask.leaderboard.board.query import Wishes
from sharedtask.leaderboard.board.rows import Row, rows_of
from sharedtask.standings.figures import figures_of, standing_of
from sharedtask.standings.models import Standing
from sharedtask.standings.standing_view import scope_of
from sharedtask.standings.table import codes_by_scope

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class Board:
    facts: Facts
    wishes: Wishes
    """Settled: what goes without saying, or does not exist, is empty."""
    standing: Standing | None = None
    figures: Details | None = None
    metric: str = ""
    scope: str = EVERYTHING
    columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = ()
    hidden: int = 0
    """Systems that the wishes leave out."""
    is_exact: bool = False
    """Whether a file may have figures as they were computed; else they are as printed."""

    @property
    def presentation(self) -> Presentation:
        """Of the metric that the board is ranked by; for an empty board, of the first main metric."""
        profile = PROFILES[self.facts.profile]
        return profile.presentations[self.metric or profile.main[0]]

    @property
    def other_main(self) -> int:
        """Main metrics besides the one that the board is ranked by: the first columns after the ranks."""
        return sum(column.is_main for column in self.columns if column.kind == "figure")

    @property
    def best_word(self) -> str:
        """How the run of a team is chosen where it is chosen by score."""
        profile = PROFILES[self.facts.profile]
        metric = self.figures.main[0] if self.figures else self.metric or profile.main[0]
        return profile.presentations[metric].best_word

    @property
    def explained(self) -> list[tuple[str, str]]:
        """Each metric that has a column, with what it counts."""
        presentations = PROFILES[self.facts.profile].presentations
        names = [column.id for column in self.columns if column.kind in ("main", "figure")]
        return [(name, presentations[name].explanation) for name in names]

    @property
    def signature(self) -> str:
        return self.standing.signature if self.standing else ""

    @property
    def codes(self) -> list[str]:
        """The test sets that the figures are averages over."""
        return codes_by_scope(self.standing.table)[self.scope] if self.standing else []

    @property
    def gold_versions(self) -> str:
        """`1` where all sets have the first version of their gold; else those that were corrected."""
        numbers = self.standing.table.get("gold", {}) if self.standing else {}
        corrected = [f"{code} {number}" for code, number in sorted(numbers.items()) if number != 1]
        return f"1, but {', '.join(corrected)}" if corrected else "1"


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
    wishes = Wishes(ranking=ranking, metric=metric, preview=preview)
    return build(facts_of(viewer, phase, [phase], wishes, at=at), wishes)


def build(facts: Facts, wishes: Wishes) -> Board:
    if not facts.standing:
        return Board(facts=facts, wishes=settled(facts, wishes))
    standing = standing_of(facts.standing)
    figures = figures_of(standing)
    metric = wishes.metric if wishes.metric in figures.metrics else figures.main[0]
    shown = Slice(
        figures=figures,
        profile=PROFILES[facts.profile],
        metric=metric,
        scope=scope_of(wishes.scope, figures.scopes),
    )
    columns = columns_of(shown, standing.table["columns"], standing.table["groups"])
    wishes = settled(facts, wishes, shown, columns)
    rows = rows_of(facts, wishes, shown, columns, standing.table)
    return Board(
        facts=facts,
        wishes=wishes,
        standing=standing,
        figures=figures,
        metric=metric,
        scope=shown.scope,
        columns=columns,
        rows=rows,
        hidden=len(facts.entrants) - len(rows),
    )


def settled(
    facts: Facts, wishes: Wishes, shown: Slice | None = None, columns: tuple[Column, ...] = ()
) -> Wishes:
    """Without what goes without saying, so that every state of the page has one address."""
    first_phase, first_ranking = facts.phases[0][0], facts.rankings[0].ranking if facts.rankings else ""
    sortable = {column.id for column in columns}
    return replace(
        wishes,
        phase="" if facts.phase == first_phase else facts.phase,
        ranking="" if facts.ranking == first_ranking else facts.ranking,
        metric=shown.metric if shown and shown.metric != shown.figures.main[0] else "",
        scope=wishes.scope if shown and shown.scope != EVERYTHING else "",
        sort=wishes.sort if wishes.sort.removeprefix("-") in sortable and wishes.sort != DEFAULT else "",
        preview=wishes.preview and facts.organises and not facts.is_live,
    )
