"""What a leaderboard averages over, in words, and the caption of its table."""

from __future__ import annotations

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.leaderboard.board.build import Board


def scope_text(board: Board) -> str:
    """`16 test sets`, with the group or the language if it is not all of them, and the size of the task."""
    number = len(board.codes)
    test_sets = f"{number} test set{'' if number == 1 else 's'}"
    if board.scope == EVERYTHING:
        return board.coverage or test_sets
    part = f" (from {board.coverage} of the task)" if board.coverage else ""
    if board.scope.startswith(LANGUAGE):
        return f"{test_sets} in {language_name(board, board.scope)}{part}"
    return f"{test_sets} of the group {board.scope}{part}"


def language_name(board: Board, scope: str) -> str:
    tag = scope.removeprefix(LANGUAGE)
    languages: dict[str, str] = board.standing.table["languages"] if board.standing else {}
    return languages.get(tag) or tag


def caption(board: Board) -> str:
    """For a table without its page, in a paper or a spreadsheet."""
    facts = board.facts
    sentences = [
        f"{', '.join(filter(None, (facts.task.title, facts.phase.title, facts.track_title)))}, "
        f"{facts.ranking} ranking: {board.metric} "
        f"{board.presentation.kind}, {board.averaging.noun} over {scope_text(board)}, with 95% intervals "
        "and rank ranges."
    ]
    if any(row.line_below for row in board.rows):
        test = board.standing.table["test"] if board.standing else ""
        sentences.append(
            "A line separates adjacent systems that differ significantly (paired bootstrap, "
            f"{test} p < 0.05)."
        )
    if board.is_selected_by_score:
        unit = "team" if facts.ranking == "best" else "system"
        sentences.append(f"Selected by score: the run of each {unit} with the {board.best_word} score.")
    return " ".join(sentences)
