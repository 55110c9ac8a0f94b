"""The scores of a team's runs over time, as small plots: one per phase that shows scores.

In: the viewer, the team, a time. Out: `History`s with the places of their points in a drawing of `WIDTH` by
`HEIGHT`. Figures are rounded as printed before they are drawn: an exact place would reveal the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evaluation import Presentation
from evaluation.showing.axis import MAX_STEPS, Axis, axis_with_ticks, steps_of
from sharedtask.accounts.roles import Viewer
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_title
from sharedtask.submissions.models import Run
from sharedtask.submissions.ranked_run import averages
from sharedtask.submissions.run_access import own_runs
from sharedtask.teams.models import Team

MAX_RUNS = 40
SCORED = {"state": Run.State.SCORED, "status": Run.Status.COUNTS}
WIDTH, HEIGHT, MARGIN = 320, 90, 8


@dataclass(frozen=True, kw_only=True)
class Point:
    run: Run
    figure: str
    """As printed."""
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class History:
    phase: Phase
    track_title: str
    """Empty in a task without tracks."""
    metric: str
    points: Sequence[Point]
    low: str
    high: str

    @property
    def last(self) -> Point:
        return self.points[-1]

    @property
    def path(self) -> str:
        """For the attribute `points` of a line."""
        return " ".join(f"{point.x},{point.y}" for point in self.points)

    @property
    def description(self) -> str:
        figures = ", ".join(f"run {point.run.number} {point.figure}" for point in self.points)
        return f"{self.metric} of {len(self.points)} runs in {self.place}: {figures}"

    @property
    def place(self) -> str:
        """Its phase, and its track if there are several."""
        return f"{self.phase.title}, {self.track_title}" if self.track_title else self.phase.title


def score_histories(viewer: Viewer, task: Task, team: Team, *, at: datetime) -> list[History]:
    """Of the latest scored runs that count; a phase with a single one has no history."""
    runs = list(own_runs(viewer, task, team).filter(**SCORED)[:MAX_RUNS])
    number = Counter((run.phase_id, run.track) for run in runs)
    figures = averages(
        viewer, task, team, [run for run in runs if number[run.phase_id, run.track] > 1], at=at
    )
    by_track: dict[tuple[int, str], list[tuple[Run, float]]] = {}
    for run in reversed(runs):
        figure = figures.get(run.pk)
        if figure is not None:
            by_track.setdefault((run.phase_id, run.track), []).append((run, figure))
    histories = []
    for (_, track), scored in by_track.items():
        metric = main_metrics(task, track)[0]
        if len(scored) > 1:
            presentation = presentation_of(task, metric)
            histories.append(history(metric, presentation, scored, track_title(task, track)))
    return histories


def history(
    metric: str, presentation: Presentation, scored: Sequence[tuple[Run, float]], track_title: str = ""
) -> History:
    values = [presentation.rounded(figure) for _, figure in scored]
    low, high = min(values), max(values)
    across = Axis(low=0, high=len(scored) - 1)
    upward = axis_with_ticks(low, high, steps=steps_of(presentation), max_steps=MAX_STEPS)
    if presentation.better == "lower":
        upward = upward.reversed
    return History(
        phase=scored[0][0].phase,
        track_title=track_title,
        metric=metric,
        points=[
            Point(
                run=run,
                figure=presentation.text(figure),
                x=round(MARGIN + across.position(index) * (WIDTH - 2 * MARGIN), 1),
                y=round(HEIGHT - MARGIN - upward.position(value) * (HEIGHT - 2 * MARGIN), 1),
            )
            for index, ((run, figure), value) in enumerate(zip(scored, values, strict=True))
        ],
        low=f"{low:.{presentation.digits}f}",
        high=f"{high:.{presentation.digits}f}",
    )
