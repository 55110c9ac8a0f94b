"""A team's latest runs with state and progress, as far as the team may see them.

In: the viewer, the team, a time. Out: `RunSummary`s, latest first, with a fixed number of queries. The number
of scored files is included only where scores are shown: a blind phase must not reveal the scoring progress.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import Task, TestSet
from sharedtask.overview.run_ranks import RunRank, ranks_of
from sharedtask.standings.precision import printed
from sharedtask.submissions import run_access
from sharedtask.submissions.average import average
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.own_scores import counts_of_own_runs
from sharedtask.teams.models import Team

MAX_RUNS = 10


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    run: Run
    state: str
    """As the viewer may see it."""
    valid: int
    invalid: int
    missing: int
    scored: int
    total: int
    expected_later: int = 0
    """Missing files of test sets that were not expected yet when the run arrived."""
    figures: tuple[str, ...] = ()
    """Averages by main metric, as printed; empty if the viewer may not see any."""
    rank: RunRank | None = None
    """On a leaderboard that the viewer may see."""

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
    def unusable(self) -> int:
        return self.invalid + self.missing


def latest_runs(viewer: Viewer, task: Task, team: Team, *, at: datetime) -> list[RunSummary]:
    runs = list(run_access.own_runs(viewer, task, team)[:MAX_RUNS])
    states = run_access.states_of_own_runs(viewer, task, runs, at=at)
    files = Counter(RunFile.objects.filter(run__in=runs).values_list("run_id", "state").order_by())
    open_runs = [run for run, state in states if state in (Run.State.SCORING, Run.State.SCORED)]
    scored = Score.objects.filter(file__run__in=open_runs).done().in_force()
    scores = Counter(scored.values_list("file__run_id", flat=True).order_by())
    finished = [run for run, state in states if state == Run.State.SCORED]
    figures = averages_of(viewer, task, team, finished, at=at)
    ranks = ranks_of(viewer, task, finished, at=at)
    late = RunFile.objects.filter(run__in=runs, expected_later=True)
    expected_later = Counter(late.values_list("run_id", flat=True).order_by())
    return [
        replace(
            summarise(run, state, files, scores[run.pk], figures.get(run.pk, ())),
            expected_later=expected_later[run.pk],
            rank=ranks.get(run.public_id),
        )
        for run, state in states
    ]


def averages_of(
    viewer: Viewer, task: Task, team: Team, runs: Sequence[Run], *, at: datetime
) -> dict[int, tuple[str, ...]]:
    """Averages over the test sets of the run by main metric, by the primary key of the run."""
    counts = counts_of_own_runs(viewer, task, team, runs, at=at)
    if not counts:
        return {}
    test_sets: dict[int, list[TestSet]] = {}
    for file in RunFile.objects.filter(run__in=counts).select_related("test_set"):
        test_sets.setdefault(file.run_id, []).append(file.test_set)
    tracks = {run.pk: run.track for run in runs}
    figures = {}
    for run, by_code in counts.items():
        averages = average(task, test_sets.get(run, []), by_code, track=tracks[run]).all
        figures[run] = as_cells(task, tracks[run], averages)
    return figures


def as_cells(task: Task, track: str, averages: Mapping[str, float]) -> tuple[str, ...]:
    """One per main metric. Tracks have different ones, so there the first is in one column, with its name."""
    main = main_metrics(task, track)
    cells = [printed(averages.get(name), presentation_of(task, name)) for name in main]
    return (f"{main[0]} {cells[0]}",) if task.tracks else tuple(cells)


def summarise(
    run: Run, state: str, files: Counter[tuple[int, str]], scored: int, figures: tuple[str, ...]
) -> RunSummary:
    numbers = {verdict: files[run.pk, verdict] for verdict in RunFile.State.values}
    return RunSummary(
        run=run,
        state=state,
        valid=numbers[RunFile.State.VALID],
        invalid=numbers[RunFile.State.INVALID],
        missing=numbers[RunFile.State.MISSING],
        scored=scored,
        total=sum(numbers.values()),
        figures=figures,
    )


def list_version(summaries: Sequence[RunSummary]) -> str:
    """A token that changes whenever the list has to be rendered again."""
    return ".".join(
        f"{summary.run.number}-{summary.state}-{summary.done}-{summary.run.status}" for summary in summaries
    )
