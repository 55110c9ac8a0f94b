"""The tables of an experiment, like Tables 3 to 6 of Ng and Curran (2015), for one system or several.

In: for each system the rows of its runs over the same sentences. Out: tables as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ranking.tables.table import NONE as NO_VALUE
from ..ranking.tables.table import Column, Table, text_column
from .constraints import ALL, NONE, run_name
from .run_figures import RunFigures

System = tuple[str, Sequence[RunFigures]]
"""A name and a row per run."""

SCORE = "UAS"
"""The metric whose change is split into that of constrained words and that of all others."""
CONTROL_TITLES = {ALL: "All words", NONE: "No words (control)"}
PLAIN_TITLE = "Without constraints"
_FIGURES = (
    *("Covered %", "Impossible", "Eff.", "Eff. %", "Disp."),
    *("UAS", "LAS", "ΔUAS", "Δc", "Δu", "Repaired", "Destroyed"),
)


def run_titles(classes: Sequence[str]) -> Mapping[str, str]:
    """What runs are called: their class, or what a control is."""
    return {run_name(name): name for name in classes} | CONTROL_TITLES


def all_tables(systems: Sequence[System], *, about: str, words: str) -> list[Table]:
    """`about` says over which sentences the figures are, `words` over which words the scores."""
    return [
        effects_table(systems, about=f"{about}, {words}"),
        changes_table(systems, "repaired", about=about),
        changes_table(systems, "destroyed", about=about),
    ]


def effects_table(systems: Sequence[System], *, about: str) -> Table:
    """Tables 3 and 4: what constraints on each class do to the whole tree."""
    several = len(systems) > 1
    columns = (
        text_column("Constraints on"),
        *((text_column("System"),) if several else ()),
        *(Column(head) for head in _FIGURES),
    )
    titles = run_titles(classes_of(systems))
    rows = [(PLAIN_TITLE, *([name] if several else ()), *plain_cells(runs)) for name, runs in systems]
    for number in range(len(systems[0][1])):
        for name, runs in systems:
            row = runs[number]
            rows.append((titles[row.run], *([name] if several else ()), *figure_cells(row)))
    caption = (
        "Effects of constraints: share of sentences in which all of them are kept (covered), constraints "
        "that correct an error (eff.) and its displacement, attachment scores, and the change of UAS: in "
        f"total (ΔUAS), in the constrained words (Δc) and in all others (Δu); {about}."
    )
    return Table("effects", caption, columns, tuple(rows))


def changes_table(systems: Sequence[System], kind: str, *, about: str) -> Table:
    """Tables 5 and 6: arcs of other classes that constraints on a class repair, or destroy."""
    several = len(systems) > 1
    classes = classes_of(systems)
    titles = run_titles(classes)
    runs = [row.run for row in systems[0][1] if row.run not in CONTROL_TITLES]
    cells = [(run, name, {row.run: row for row in rows}[run]) for run in runs for name, rows in systems]
    heads = [f"{titles[run]}, {name}" if several else titles[run] for run, name, _ in cells]
    counts = [getattr(row, kind) for _, _, row in cells]
    rows = [
        (
            name,
            *(
                NO_VALUE if titles[run] == name else str(of_class[name])
                for (run, _, _), of_class in zip(cells, counts, strict=True)
            ),
        )
        for name in classes
    ]
    rows.append(("Total", *(str(sum(of_class.values())) for of_class in counts)))
    caption = (
        f"Arcs of unconstrained words that are {kind}, by the class of the word (rows) and the constrained "
        f"class (columns); {about}, punctuation included."
    )
    columns = (text_column("Class"), *(Column(head) for head in heads))
    return Table(kind, caption, columns, tuple(rows))


def classes_of(systems: Sequence[System]) -> list[str]:
    return list(systems[0][1][0].repaired)


def plain_cells(runs: Sequence[RunFigures]) -> tuple[str, ...]:
    """Over the sentences of the first run; where sentences differ between runs, there is no one figure."""
    first = runs[0]
    if len({row.selected for row in runs}) > 1:
        return (NO_VALUE,) * len(_FIGURES)
    empty = (NO_VALUE,) * 5
    return (*empty, percent(first.plain_uas), percent(first.plain_las), *(NO_VALUE,) * 5)


def figure_cells(row: RunFigures) -> tuple[str, ...]:
    return (
        percent(row.coverage, 1),
        str(row.impossible),
        str(row.effective),
        percent(row.effective_share, 1),
        NO_VALUE if row.displacement is None else f"{row.displacement:.1f}",
        percent(row.uas),
        percent(row.las),
        signed(row.delta_uas),
        signed(row.delta_constrained),
        signed(row.delta_unconstrained),
        str(sum(row.repaired.values())),
        str(sum(row.destroyed.values())),
    )


def percent(value: float, digits: int = 2) -> str:
    return f"{100 * value:.{digits}f}"


def signed(value: float) -> str:
    return f"{100 * value:+.2f}"
