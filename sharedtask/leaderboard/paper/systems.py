"""The table of systems: who built them and how, from the teams' questionnaires.

In: a standing, as its viewer sees it. Out: a row for each system, in order of rank. Affiliations are shown
with real names only, and answers and links once the viewer may see descriptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.ranking.results import EVERYTHING
from evaluation.ranking.tables.table import NONE, Column, Table, text_column
from sharedtask.standings.standing_view import Entrant, StandingView
from sharedtask.teams.questionnaire import QUESTIONS, Question, answered_questions

NAME = "systems"


@dataclass(frozen=True, kw_only=True)
class SystemRow:
    entrant: Entrant
    rank: int
    """0 if it has none."""
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
        return any(row.entrant.affiliation for row in self.rows)

    @property
    def has_links(self) -> bool:
        return any(row.entrant.paper_url or row.entrant.code_url for row in self.rows)


def systems_table(view: StandingView, metric: str) -> SystemsTable:
    ranks = view.figures.rank[:, view.scope_index(EVERYTHING), view.metric_index(metric)]
    rows = [
        SystemRow(entrant=entrant, rank=int(ranks[entrant.index]), answers=answers_of(entrant))
        for entrant in view.entrants
    ]
    rows.sort(key=lambda row: (row.rank == 0, row.rank))
    answered = {id for row in rows for id in row.answers}
    questions = tuple(question for question in QUESTIONS if question.id in answered)
    return SystemsTable(metric=metric, questions=questions, rows=tuple(rows))


def answers_of(entrant: Entrant) -> dict[str, str]:
    if not entrant.is_described:
        return {}
    answers = answered_questions(entrant.run.system.questionnaire)
    return {question.id: answer for question, answer in answers}


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
    cells = [row.entrant.affiliation, *answers, row.entrant.paper_url, row.entrant.code_url]
    return (str(row.rank or NONE), row.entrant.name, *(cell or NONE for cell in cells))
