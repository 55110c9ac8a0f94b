"""What a reader can choose on a leaderboard: phases, rankings, metrics, scopes, and the order of the rows.

In: a `Board`. Out: choices with their addresses and a mark on the one that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.captions import language_of, scope_words
from sharedtask.leaderboard.board.columns import DEFAULT, Column

RANKINGS = {"official": "Official", "unofficial": "Unofficial", "best": "Best of each team", "open": "Open"}
ENDINGS = {"csv": "CSV", "json": "JSON", "tex": "LaTeX", "md": "Markdown"}


@dataclass(frozen=True, kw_only=True)
class Choice:
    words: str
    value: str = ""
    """What a form sends for it; or the address that a link leads to."""
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class Heading:
    column: Column
    address: str
    """The same page, sorted by this column; the other way round if it is already."""
    sorted: str
    """`ascending`, `descending` or nothing, in the words of ARIA."""


@dataclass(frozen=True, kw_only=True)
class Menus:
    phases: Sequence[Choice]
    rankings: Sequence[Choice]
    ranked_by: Sequence[Choice]
    """The main metrics, side by side: each gives a ranking of its own."""
    main: Sequence[Choice]
    metrics: Sequence[Choice]
    groups: Sequence[Choice]
    languages: Sequence[Choice]
    headings: Sequence[Heading]
    downloads: Sequence[Choice]
    over: str
    here: str
    """The address of this state, from the question mark on."""
    everything: str
    """The address of the same without filters."""
    kept: Sequence[tuple[str, str]]
    """What the form of wishes sends besides its own fields."""
    carried: Sequence[tuple[str, str]]
    """What the comparison of ticked systems should know: which ranking they stand in, by what, over what."""
    to_system: str
    """The same for the page of a system."""


def menus(board: Board) -> Menus:
    metrics = board.figures.metrics if board.figures else ()
    main = board.figures.main if board.figures else ()
    wishes = board.wishes
    return Menus(
        phases=[
            Choice(
                words=title,
                value=here(board, phase="" if number == 0 else code, ranking=""),
                chosen=code == board.facts.phase,
            )
            for number, (code, title) in enumerate(board.facts.phases)
        ],
        rankings=[
            Choice(
                words=RANKINGS[one.ranking],
                value=here(board, ranking="" if number == 0 else one.ranking),
                chosen=one.ranking == board.facts.ranking,
            )
            for number, one in enumerate(board.facts.rankings)
        ],
        ranked_by=[
            Choice(
                words=name,
                value=here(board, metric="" if number == 0 else name, sort=""),
                chosen=name == board.metric,
            )
            for number, name in enumerate(main)
        ],
        main=[metric_choice(board, name) for name in main],
        metrics=[metric_choice(board, name) for name in metrics if name not in main],
        groups=scope_choices(board, languages=False),
        languages=scope_choices(board, languages=True),
        headings=[heading(board, column) for column in board.columns],
        downloads=[Choice(words=words, value=download(board, ending)) for ending, words in ENDINGS.items()],
        over=scope_words(board),
        here=wishes.query() or "?",
        everything=here(board, q="", hide=()),
        kept=spoken(board, "phase", "ranking", "sort", "preview"),
        carried=spoken(board, "phase", "ranking", "metric", "scope"),
        to_system=board.wishes.query(scope="", sort="", q="", hide=(), preview=False),
    )


def here(board: Board, **changes: object) -> str:
    """An address is never empty: an empty one would lead to this very state."""
    return board.wishes.query(**changes) or "?"


def download(board: Board, ending: str) -> str:
    return reverse("leaderboard-download", args=[board.facts.slug, ending]) + board.wishes.query()


def spoken(board: Board, *names: str) -> list[tuple[str, str]]:
    """What the address says of these."""
    return [
        (name, str(int(value) if value is True else value))
        for name in names
        if (value := getattr(board.wishes, name))
    ]


def metric_choice(board: Board, name: str) -> Choice:
    is_default = board.figures is not None and name == board.figures.main[0]
    return Choice(words=name, value="" if is_default else name, chosen=name == board.metric)


def scope_choices(board: Board, *, languages: bool) -> list[Choice]:
    """Groups in the task's own order; languages that have several test sets by name."""
    if board.figures is None or board.standing is None:
        return []
    if not languages:
        known = [name for name in board.standing.table["groups"] if name in board.figures.scopes]
        return [Choice(words=name, value=name, chosen=name == board.scope) for name in known]
    found = [
        Choice(
            words=language_of(board, scope),
            value=f"lang:{scope.removeprefix(LANGUAGE)}",
            chosen=scope == board.scope,
        )
        for scope in board.figures.scopes
        if scope != EVERYTHING and scope.startswith(LANGUAGE)
    ]
    return sorted(found, key=lambda choice: choice.words)


def heading(board: Board, column: Column) -> Heading:
    """The first click puts the best on top, the next one turns the order round."""
    sort = board.wishes.sort or DEFAULT
    first = f"-{column.id}" if column.descends else column.id
    other = column.id if column.descends else f"-{column.id}"
    wanted = other if sort == first else first
    direction = {column.id: "ascending", f"-{column.id}": "descending"}.get(sort, "")
    return Heading(
        column=column,
        address=here(board, sort="" if wanted == DEFAULT else wanted),
        sorted=direction,
    )
