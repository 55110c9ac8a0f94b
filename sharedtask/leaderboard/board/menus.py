"""What a reader can choose on a leaderboard: phases, rankings, metrics, scopes, and the order of the rows.

In: a `Board`. Out: choices with their addresses; the current one is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.competition.tracks import track_title
from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.captions import language_name, scope_text
from sharedtask.leaderboard.board.columns import DEFAULT, BoardColumn

RANKINGS = {"official": "Official", "unofficial": "Unofficial", "best": "Best of each team", "open": "Open"}
FILE_FORMATS = {"csv": "CSV", "json": "JSON", "tex": "LaTeX", "md": "Markdown"}


@dataclass(frozen=True, kw_only=True)
class MenuChoice:
    label: str
    value: str = ""
    """What a form sends for it, or the address of a link."""
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class BoardHeading:
    column: BoardColumn
    address: str
    """The same page sorted by this column; in reverse order if it is sorted by it already."""
    sorted: str
    """`ascending`, `descending` or empty, in the words of ARIA."""


@dataclass(frozen=True, kw_only=True)
class Menus:
    phases: Sequence[MenuChoice]
    tracks: Sequence[MenuChoice]
    rankings: Sequence[MenuChoice]
    ranked_by: Sequence[MenuChoice]
    """The main metrics as links: each gives a ranking of its own."""
    main: Sequence[MenuChoice]
    metrics: Sequence[MenuChoice]
    groups: Sequence[MenuChoice]
    languages: Sequence[MenuChoice]
    headings: Sequence[BoardHeading]
    downloads: Sequence[MenuChoice]
    scope_text: str
    current: str
    """The address of this state, from the question mark on."""
    unfiltered: str
    """The address of the same state without filters."""
    filter_fields: Sequence[tuple[str, str]]
    """Hidden fields of the form with the filters."""
    compare_fields: Sequence[tuple[str, str]]
    """Hidden fields of the form that compares the selected systems: their ranking, metric and scope."""
    system_query: str
    """The query string for links to the page of a system."""


def menus(board: Board) -> Menus:
    facts, view = board.facts, board.view
    main = view.figures.main if view else ()
    other_metrics = [name for name in view.figures.metrics if name not in main] if view else []
    return Menus(
        phases=[
            MenuChoice(
                label=phase.title,
                value=address(board, phase="" if number == 0 else phase.code, track="", ranking=""),
                chosen=phase == facts.phase,
            )
            for number, phase in enumerate(facts.phases.visible)
        ],
        tracks=track_choices(board),
        rankings=[
            MenuChoice(
                label=RANKINGS[ranking],
                value=address(board, ranking="" if number == 0 else ranking),
                chosen=ranking == facts.ranking,
            )
            for number, ranking in enumerate(
                standing.ranking for standing in facts.results.standings if standing.track == facts.track
            )
        ],
        ranked_by=[
            MenuChoice(
                label=name,
                value=address(board, metric="" if number == 0 else name, sort=""),
                chosen=name == board.metric,
            )
            for number, name in enumerate(main)
        ],
        main=[metric_choice(board, name) for name in main],
        metrics=[metric_choice(board, name) for name in other_metrics],
        groups=group_choices(board),
        languages=language_choices(board),
        headings=[heading(board, column) for column in board.columns],
        downloads=[
            MenuChoice(label=label, value=download_address(board, ending))
            for ending, label in FILE_FORMATS.items()
        ],
        scope_text=scope_text(board),
        current=address(board),
        unfiltered=address(board, q="", hide=()),
        filter_fields=hidden_fields(board, "phase", "track", "ranking", "sort", "preview"),
        compare_fields=hidden_fields(board, "phase", "track", "ranking", "metric", "scope"),
        system_query=board.query.query_string(scope="", sort="", q="", hide=(), preview=False),
    )


def track_choices(board: Board) -> list[MenuChoice]:
    """The tracks of the phase that have results. Another track has other metrics and maybe other rankings."""
    facts = board.facts
    codes = list(dict.fromkeys(standing.track for standing in facts.results.standings))
    return [
        MenuChoice(
            label=track_title(facts.task, code),
            value=address(board, track="" if number == 0 else code, ranking="", metric="", sort=""),
            chosen=code == facts.track,
        )
        for number, code in enumerate(codes)
    ]


def address(board: Board, **changes: object) -> str:
    """Never empty: an empty link would lead to the current state."""
    return board.query.query_string(**changes) or "?"


def download_address(board: Board, ending: str) -> str:
    return reverse("leaderboard-download", args=[board.facts.task.slug, ending]) + board.query.query_string()


def hidden_fields(board: Board, *names: str) -> list[tuple[str, str]]:
    """Those of the query parameters that are set."""
    values = [(name, getattr(board.query, name)) for name in names]
    return [(name, "1" if value is True else str(value)) for name, value in values if value]


def metric_choice(board: Board, name: str) -> MenuChoice:
    is_default = board.view is not None and name == board.view.figures.main[0]
    return MenuChoice(label=name, value="" if is_default else name, chosen=name == board.metric)


def group_choices(board: Board) -> list[MenuChoice]:
    """In the task's order."""
    if board.view is None:
        return []
    groups = [name for name in board.view.standing.table["groups"] if name in board.view.figures.scopes]
    return [MenuChoice(label=name, value=name, chosen=name == board.scope) for name in groups]


def language_choices(board: Board) -> list[MenuChoice]:
    """Languages with several test sets, by name."""
    if board.view is None:
        return []
    choices = [
        MenuChoice(
            label=language_name(board, scope),
            value=f"lang:{scope.removeprefix(LANGUAGE)}",
            chosen=scope == board.scope,
        )
        for scope in board.view.figures.scopes
        if scope != EVERYTHING and scope.startswith(LANGUAGE)
    ]
    return sorted(choices, key=lambda choice: choice.label)


def heading(board: Board, column: BoardColumn) -> BoardHeading:
    """The first click sorts the best first, the next one reverses the order."""
    sort = board.query.sort or DEFAULT
    ascending, descending = column.id, f"-{column.id}"
    first, second = (descending, ascending) if column.descends else (ascending, descending)
    next_sort = second if sort == first else first
    return BoardHeading(
        column=column,
        address=address(board, sort="" if next_sort == DEFAULT else next_sort),
        sorted={ascending: "ascending", descending: "descending"}.get(sort, ""),
    )
