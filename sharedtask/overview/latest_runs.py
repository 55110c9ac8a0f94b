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
from sharedtask.competition.models import Task
from sharedtask.overview.run_ranks import RunRank, ranks_of
from sharedtask.standings.precision import printed
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.own_scores import averages_of_own_runs
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
    """While the run is being scored."""
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
    rows = RunFile.objects.filter(run__in=runs).order_by()
    files = list(rows.values_list("run_id", "state", "expected_later"))
    verdicts = Counter((run, state) for run, state, _ in files)
    expected_later = Counter(run for run, _, late in files if late)
    scores = count_scores([run for run, state in states if state == Run.State.SCORING])
    finished = [run for run, state in states if state == Run.State.SCORED]
    averages = averages_of_own_runs(viewer, task, team, finished, at=at)
    figures = {run.pk: as_cells(task, run.track, averages[run.pk]) for run in finished if run.pk in averages}
    ranks = ranks_of(viewer, task, finished, at=at)
    return [
        replace(
            summarise(run, state, verdicts, scores[run.pk], figures.get(run.pk, ())),
            expected_later=expected_later[run.pk],
            rank=ranks.get(run.public_id),
        )
        for run, state in states
    ]


def count_scores(runs: Sequence[Run]) -> Counter[int]:
    """The number of scored files by run; mostly no run is being scored, and no query is needed."""
    if not runs:
        return Counter()
    scored = Score.objects.filter(file__run__in=runs).done().in_force().order_by()
    return Counter(scored.values_list("file__run_id", flat=True))


def as_cells(task: Task, track: str, averages: Mapping[str, float]) -> tuple[str, ...]:
    """One per main metric. Tracks have different ones, so there the first is in one column, with its name."""
    main = main_metrics(task, track)
    cells = [printed(averages.get(name), presentation_of(task, name)) for name in main]
    return (f"{main[0]} {cells[0]}",) if task.tracks else tuple(cells)


def summarise(
    run: Run, state: str, verdicts: Counter[tuple[int, str]], scored: int, figures: tuple[str, ...]
) -> RunSummary:
    numbers = {verdict: verdicts[run.pk, verdict] for verdict in RunFile.State.values}
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
