"""What a leaderboard says about itself in words: what is averaged, over what, and what a line means."""

from __future__ import annotations

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.leaderboard.board.build import Board


def scope_words(board: Board) -> str:
    """`16 test sets`, with the group or the language where it is not all."""
    number = len(board.codes)
    over = f"{number} test set{'' if number == 1 else 's'}"
    if board.scope == EVERYTHING:
        return over
    if board.scope.startswith(LANGUAGE):
        return f"{over} in {language_of(board, board.scope)}"
    return f"{over} of the group {board.scope}"


def language_of(board: Board, scope: str) -> str:
    tag = scope.removeprefix(LANGUAGE)
    languages: dict[str, str] = board.standing.table["languages"] if board.standing else {}
    return languages.get(tag) or tag


def caption(board: Board) -> str:
    """For a table that stands by itself, in a paper or a spreadsheet."""
    facts = board.facts
    presentation = board.presentation
    said = f"{facts.title}, {facts.phase_title}, {facts.ranking} ranking: "
    said += f"{board.metric} {presentation.kind}, "
    said += f"macro-average over {scope_words(board)}, with 95 % intervals and ranges of ranks."
    if any(row.line_below for row in board.rows):
        said += " A line separates neighbours that differ significantly (paired bootstrap, p < 0.05)."
    if facts.ranking == "best":
        said += f" Of each team the run with the {board.best_word} score is shown: it was chosen by score."
    return said
