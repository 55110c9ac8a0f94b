"""What a publication would show: the table of each ranking, and how it differs from what is public.

In: the `Readiness` of a ranking, for an organiser. Out: a `PublicationTable` with ranks and figures by every
main metric. All figures come from stored standings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking.details import Details
from sharedtask.competition.metrics import presentation_of
from sharedtask.competition.models import Task
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Standing
from sharedtask.standings.precision import printed
from sharedtask.standings.readiness import Readiness
from sharedtask.standings.table import runs_in


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The place of a system by one metric."""

    rank: int | None
    figure: str
    public: str
    """The public place if it is another one: `rank 2, 80.00`, or `new`."""


@dataclass(frozen=True, kw_only=True)
class PublicationRow:
    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class PublicationTable:
    state: Readiness
    metrics: tuple[str, ...] = ()
    rows: tuple[PublicationRow, ...] = ()
    missing: tuple[str, ...] = ()
    """Systems that are public and would no longer be in this ranking."""

    @property
    def differences(self) -> int:
        """The systems whose place would change, that are new, or that would disappear."""
        return len(self.missing) + sum(any(cell.public for cell in row.cells) for row in self.rows)


def publication_table(state: Readiness) -> PublicationTable:
    if state.standing is None:
        return PublicationTable(state=state)
    task, figures = state.phase.task, figures_of(state.standing)
    now, before = places(task, figures), {}
    names = names_in(state.standing)
    if state.public is not None:
        before = places(task, figures_of(state.public))
        names = names_in(state.public) | names
    return PublicationTable(
        state=state,
        metrics=figures.main,
        rows=tuple(
            PublicationRow(
                name=names.get(run, run),
                cells=cells(now[run], before.get(run), is_public=state.public is not None),
            )
            for run in figures.systems
        ),
        missing=tuple(sorted(names.get(run, run) for run in before if run not in now)),
    )


Place = tuple[int | None, str]


def places(task: Task, figures: Details) -> dict[str, list[Place]]:
    """Rank and printed figure by each main metric, over all test sets, by the public id of the run."""
    presentations = [presentation_of(task, metric) for metric in figures.main]
    columns = [figures.metrics.index(metric) for metric in figures.main]
    return {
        run: [
            place(figures, row, column, presentation)
            for column, presentation in zip(columns, presentations, strict=True)
        ]
        for row, run in enumerate(figures.systems)
    }


def place(figures: Details, row: int, column: int, presentation: Presentation) -> Place:
    return int(figures.rank[row, 0, column]) or None, printed(float(figures.f1[row, 0, column]), presentation)


def cells(now: Sequence[Place], before: Sequence[Place] | None, *, is_public: bool) -> tuple[Cell, ...]:
    """Nothing is marked where the whole ranking is new, or was made by other main metrics."""
    cells = []
    for number, (rank, figure) in enumerate(now):
        public = ""
        if is_public and before is None:
            public = "new"
        elif before is not None and len(before) == len(now) and before[number] != (rank, figure):
            public = place_text(*before[number])
        cells.append(Cell(rank=rank, figure=figure, public=public))
    return tuple(cells)


def place_text(rank: int | None, figure: str) -> str:
    return f"rank {rank}, {figure}" if rank else f"no rank, {figure}"


def names_in(standing: Standing) -> dict[str, str]:
    """As organisers know them, by the public id of the run."""
    return {
        run.public_id: run.team.name if run.system.is_primary else f"{run.team.name} ({run.system.name})"
        for run in runs_in(standing.table)
    }
