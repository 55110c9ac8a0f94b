"""The table of systems: who built them and how, from the teams' questionnaires.

In: a reader and a standing. Out: a row for each system, in order of rank. Affiliations are shown with real
names only, and answers and links once the reader may see descriptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from evaluation.ranking.results import EVERYTHING
from evaluation.ranking.tables.table import NONE, Column, Table, text_column
from sharedtask.standings.standing_view import Entrant, StandingView
from sharedtask.teams import team_access
from sharedtask.teams.questionnaire import QUESTIONS, Question, answered_questions

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer

NAME = "systems"


@dataclass(frozen=True, kw_only=True)
class SystemRow:
    entrant: Entrant
    rank: int
    """0 if it has none."""
    affiliation: str
    paper_url: str
    code_url: str
    answers: dict[str, str]
    """By question id; only answered questions."""


@dataclass(frozen=True, kw_only=True)
class SystemsTable:
    metric: str
    questions: tuple[Question, ...]
    """Those that a team has answered."""
    rows: tuple[SystemRow, ...]

    @property
    def lines(self) -> list[tuple[SystemRow, list[str]]]:
        """Each row with its answers in the order of the questions."""
        return [(row, [row.answers.get(question.id, "") for question in self.questions]) for row in self.rows]

    @property
    def has_affiliations(self) -> bool:
        return any(row.affiliation for row in self.rows)

    @property
    def has_links(self) -> bool:
        return any(row.paper_url or row.code_url for row in self.rows)


def systems_table(viewer: Viewer, field: StandingView, metric: str, *, at: datetime) -> SystemsTable:
    task, figures = field.source.phase.task, field.figures
    names = team_access.names(viewer, task, at=at)
    describes = team_access.visible_descriptions(viewer, task, at=at)
    ranks = figures.rank[:, figures.scopes.index(EVERYTHING), figures.metrics.index(metric)]
    rows = []
    for entrant in field.entrants:
        team, system = entrant.run.team, entrant.run.system
        is_named = names.are_real_names_shown(team)
        is_described = is_named and describes(team.pk)
        answers = answered_questions(system.questionnaire) if is_described else []
        rows.append(
            SystemRow(
                entrant=entrant,
                rank=int(ranks[entrant.index]),
                affiliation=team.affiliation if is_named else "",
                paper_url=system.paper_url if is_described else "",
                code_url=system.code_url if is_described else "",
                answers={question.id: answer for question, answer in answers},
            )
        )
    rows.sort(key=lambda row: (row.rank == 0, row.rank))
    answered = {id for row in rows for id in row.answers}
    questions = tuple(question for question in QUESTIONS if question.id in answered)
    return SystemsTable(metric=metric, questions=questions, rows=tuple(rows))


def table_of(systems: SystemsTable) -> Table:
    """For a paper or a spreadsheet."""
    heads = ["Team", "Affiliation", *(question.head for question in systems.questions), "Paper", "Code"]
    return Table(
        NAME,
        f"The systems in order of {systems.metric}, as described by their teams.",
        (Column("Rank"), *map(text_column, heads)),
        tuple(table_row(row, answers) for row, answers in systems.lines),
    )


def table_row(row: SystemRow, answers: Sequence[str]) -> tuple[str, ...]:
    cells = [row.affiliation, *answers, row.paper_url, row.code_url]
    return (str(row.rank or NONE), row.entrant.name, *(cell or NONE for cell in cells))
