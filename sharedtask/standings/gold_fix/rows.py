"""One run before and after a correction, over all test sets or on one of them.

In: figures by the public id of the run, with the old and the new gold. Out: ranks, and a `RunComparison` for
each run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking import aggregate
from sharedtask.standings.entries import Inputs
from sharedtask.standings.precision import NOTHING, printed
from sharedtask.submissions.models import Run


@dataclass(frozen=True, kw_only=True)
class Side:
    figure: str
    rank: int | None
    interval: str = ""
    """At 95%; empty until a worker has computed the standing, and on a single test set."""
    ranks: str = ""


@dataclass(frozen=True, kw_only=True)
class RunComparison:
    run: Run
    old: Side
    new: Side
    change: str

    @property
    def moved(self) -> bool:
        return self.old.rank != self.new.rank


@dataclass(frozen=True, kw_only=True)
class SideFigures:
    """Everything about one side, by the public id of the run."""

    figures: Mapping[str, float]
    ranks: Mapping[str, int | None]
    intervals: Mapping[str, Mapping[str, str]]

    def side(self, id: str, presentation: Presentation) -> Side:
        return Side(
            figure=printed(self.figures.get(id), presentation),
            rank=self.ranks.get(id),
            **self.intervals.get(id, {}),
        )


def compare_run(run: Run, old: SideFigures, new: SideFigures, presentation: Presentation) -> RunComparison:
    id = run.public_id
    both = id in old.figures and id in new.figures
    return RunComparison(
        run=run,
        old=old.side(id, presentation),
        new=new.side(id, presentation),
        change=presentation.signed_text(new.figures[id] - old.figures[id]) if both else NOTHING,
    )


def ranks(inputs: Inputs, figures: Mapping[str, float], presentation: Presentation) -> dict[str, int | None]:
    """Among the systems with a figure."""
    baselines_ranked = inputs.phase.task.baselines_ranked
    unnumbered = {
        entry.run.public_id
        for entry in inputs.entries
        if entry.is_withdrawn or (entry.run.team.is_baseline and not baselines_ranked)
    }
    return aggregate.ranks(figures, unnumbered & figures.keys(), presentation)
