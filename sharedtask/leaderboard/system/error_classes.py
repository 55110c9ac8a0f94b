"""Errors by class: which kinds of attachment systems get wrong, how often, and by how many words.

In: the counts of one or several systems over the same test sets. Out: an `ErrorClassTable`, whose rows have a
cell for each system, a chart of one system, and the table as text for downloads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from django.utils.safestring import SafeString

from evaluation.errors.count import ErrorTally
from evaluation.ranking.tables.table import NONE, Column, Table, text_column
from sharedtask.leaderboard.charts import Dot, draw, scatter
from sharedtask.standings.standing_view import Entrant

Tallies = Mapping[str, ErrorTally]
"""By the name of the class, in the order of tables."""
ErrorsBySet = Mapping[str, Tallies]
"""By the code of the test set."""
SHARE, DISPLACEMENT = "% of all errors", "displacement in words"


@dataclass(frozen=True, kw_only=True)
class ErrorClassCell:
    """One system in one class. Figures are fractions."""

    tally: ErrorTally
    share: float
    """Of all errors of the system."""

    @property
    def percent_wrong(self) -> float:
        return 100 * self.tally.rate

    @property
    def percent_of_errors(self) -> float:
        return 100 * self.share


@dataclass(frozen=True, kw_only=True)
class ErrorClassRow:
    name: str
    words: int
    cells: tuple[ErrorClassCell, ...]
    worst_set: str
    """The code of the test set with most of its errors; empty if there is none."""


@dataclass(frozen=True, kw_only=True)
class ErrorClassTable:
    rows: tuple[ErrorClassRow, ...]
    total: ErrorClassRow


def sum_errors(outputs: Iterable[Tallies]) -> dict[str, ErrorTally]:
    """Empty while some outputs are counted by other classes than others."""
    outputs = list(outputs)
    if len({tuple(tallies) for tallies in outputs}) != 1:
        return {}
    return {name: sum((tallies[name] for tallies in outputs), ErrorTally()) for name in outputs[0]}


def error_class_table(by_set: Sequence[ErrorsBySet], linked: Sequence[ErrorsBySet]) -> ErrorClassTable | None:
    """Rows lead to errors of `linked`.

    None without counts of errors, or while some are still of other classes than the task has now.
    """
    systems = [sum_errors(of_system.values()) for of_system in by_set]
    if not systems or not all(systems) or any(set(tallies) != set(systems[0]) for tallies in systems):
        return None
    totals = [sum(tallies.values(), ErrorTally()) for tallies in systems]
    rows = [
        row(name, [tallies[name] for tallies in systems], totals, worst_test_set(name, linked))
        for name in systems[0]
        if any(tallies[name].words for tallies in systems)
    ]
    return ErrorClassTable(rows=tuple(rows), total=row("All words", totals, totals))


def row(
    name: str, tallies: Sequence[ErrorTally], totals: Sequence[ErrorTally], worst_set: str = ""
) -> ErrorClassRow:
    cells = [
        ErrorClassCell(tally=tally, share=tally.errors / total.errors if total.errors else 0.0)
        for tally, total in zip(tallies, totals, strict=True)
    ]
    return ErrorClassRow(name=name, words=tallies[0].words, cells=tuple(cells), worst_set=worst_set)


def worst_test_set(name: str, by_set: Sequence[ErrorsBySet]) -> str:
    """That with most errors of the class, of all systems together."""
    errors: Counter[str] = Counter()
    for of_system in by_set:
        for code, tallies in of_system.items():
            errors[code] += tallies[name].errors if name in tallies else 0
    code, number = max(errors.items(), key=itemgetter(1), default=("", 0))
    return code if number else ""


def error_classes_context(
    by_set: Sequence[ErrorsBySet], names: Sequence[str], entrants: Sequence[Entrant] = ()
) -> dict[str, Any]:
    """For `_error_classes.html`; empty if there are no counts.

    Rows lead to the sentences in which one of the entrants, or any without them, has such an error.
    """
    # Further systems are there for comparison.
    table = error_class_table(by_set, by_set[: len(entrants) or None])
    if table is None:
        return {}
    return {
        "error_classes": table,
        "error_systems": names,
        "error_entrants": entrants,
        "error_chart": error_class_chart(table, names),
    }


def error_class_chart(table: ErrorClassTable, names: Sequence[str]) -> SafeString | None:
    """For each system the share of each class in its errors against the displacement of these errors."""
    dots = [
        Dot(
            name=each.name,
            group=name if len(names) > 1 else "",
            x=round(cell.percent_of_errors, 2),
            y=round(displacement, 2),
        )
        for number, name in enumerate(names)
        for each in table.rows
        if (displacement := (cell := each.cells[number]).tally.displacement) is not None
    ]
    if len(dots) < 2:
        return None
    return draw(
        scatter(dots, x=SHARE, y=DISPLACEMENT),
        title="Classes of errors by their share and displacement",
        description=f"{len(dots)} dots, one for each class{' and system' if len(names) > 1 else ''}. "
        "The table shows the values.",
    )


def as_table(table: ErrorClassTable, names: Sequence[str]) -> Table:
    """For CSV and LaTeX, one row per class and system, with the column heads of Ng and Curran (2015)."""
    columns = (
        text_column("Class"),
        text_column("System"),
        Column("Gold words"),
        Column("Eff."),
        Column("Eff. %"),
        Column("% of errors"),
        Column("Disp."),
        Column("Head or relation wrong"),
        Column("Unaligned"),
    )
    rows = [
        text_row(each, cell, name)
        for each in (*table.rows, table.total)
        for cell, name in zip(each.cells, names, strict=True)
    ]
    caption = (
        "Errors by class: words with a wrong head (eff.), their share of the words of the class (eff. %) and "
        "of all errors, and the mean distance in words between the predicted and the gold head (disp.)."
    )
    return Table("errors", caption, columns, tuple(rows))


def text_row(each: ErrorClassRow, cell: ErrorClassCell, system: str) -> tuple[str, ...]:
    tally = cell.tally
    displacement = NONE if tally.displacement is None else f"{tally.displacement:.2f}"
    return (
        each.name,
        system,
        str(tally.words),
        str(tally.errors),
        f"{cell.percent_wrong:.1f}",
        f"{cell.percent_of_errors:.1f}",
        displacement,
        str(tally.las_errors),
        str(tally.unaligned),
    )
