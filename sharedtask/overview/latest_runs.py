"""A team's latest runs, each with its state and how far it is, as far as the team may know.

In: the viewer, the team, the moment. Out: `RunLine`s, latest first, in a fixed number of queries. How many
files are scored is told only where scores are shown: in a blind phase it would be progress of scoring.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import Task, TestSet
from sharedtask.standings.precision import printed
from sharedtask.submissions import run_access
from sharedtask.submissions.average import average
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.own_scores import counts_of_own_runs
from sharedtask.teams.models import Team

LATEST = 10


@dataclass(frozen=True, kw_only=True)
class RunLine:
    run: Run
    state: str
    """As the viewer may be told."""
    valid: int
    invalid: int
    missing: int
    scored: int
    total: int
    figures: tuple[str, ...] = ()
    """The averages by the main metrics, as printed; empty where there are none for the viewer."""

    @property
    def is_final(self) -> bool:
        return self.run.is_final or self.state == "checked"

    @property
    def is_scoring(self) -> bool:
        return self.state == Run.State.SCORING

    @property
    def done(self) -> int:
        return self.scored + self.invalid + self.missing

    @property
    def faulty(self) -> int:
        return self.invalid + self.missing


def latest_runs(viewer: Viewer, task: Task, team: Team, *, at: datetime) -> list[RunLine]:
    runs = list(run_access.own_runs(viewer, task, team)[:LATEST])
    told = run_access.states_of_own_runs(viewer, task, runs, at=at)
    files = Counter(RunFile.objects.filter(run__in=runs).values_list("run_id", "state").order_by())
    open_runs = [run for run, state in told if state in (Run.State.SCORING, Run.State.SCORED)]
    scored = Score.objects.filter(file__run__in=open_runs).done().in_force()
    scores = Counter(scored.values_list("file__run_id", flat=True).order_by())
    finished = [run for run, state in told if state == Run.State.SCORED]
    figures = averages_of(viewer, task, team, finished, at=at)
    return [line(run, state, files, scores[run.pk], figures.get(run.pk, ())) for run, state in told]


def averages_of(
    viewer: Viewer, task: Task, team: Team, runs: Sequence[Run], *, at: datetime
) -> dict[int, tuple[str, ...]]:
    """By the key of the run: its averages by each main metric, over the test sets of the run."""
    counts = counts_of_own_runs(viewer, task, team, runs, at=at)
    if not counts:
        return {}
    test_sets: dict[int, list[TestSet]] = {}
    for file in RunFile.objects.filter(run__in=counts).select_related("test_set"):
        test_sets.setdefault(file.run_id, []).append(file.test_set)
    found = {}
    for run, by_code in counts.items():
        averages = average(task, test_sets.get(run, []), by_code).all
        found[run] = tuple(
            printed(averages.get(name), presentation_of(task, name)) for name in main_metrics(task)
        )
    return found


def line(
    run: Run, state: str, files: Counter[tuple[int, str]], scored: int, figures: tuple[str, ...]
) -> RunLine:
    numbers = {verdict: files[run.pk, verdict] for verdict in RunFile.State.values}
    return RunLine(
        run=run,
        state=state,
        valid=numbers[RunFile.State.VALID],
        invalid=numbers[RunFile.State.INVALID],
        missing=numbers[RunFile.State.MISSING],
        scored=scored,
        total=sum(numbers.values()),
        figures=figures,
    )


def seen(lines: Sequence[RunLine]) -> str:
    """Differs whenever the list should be drawn anew."""
    return ".".join(f"{one.run.number}-{one.state}-{one.done}-{one.run.status}" for one in lines)
