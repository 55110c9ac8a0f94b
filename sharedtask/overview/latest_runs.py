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
from sharedtask.competition.models import Task
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Run, RunFile, Score
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
    return [line(run, state, files, scores[run.pk]) for run, state in told]


def line(run: Run, state: str, files: Counter[tuple[int, str]], scored: int) -> RunLine:
    numbers = {verdict: files[run.pk, verdict] for verdict in RunFile.State.values}
    return RunLine(
        run=run,
        state=state,
        valid=numbers[RunFile.State.VALID],
        invalid=numbers[RunFile.State.INVALID],
        missing=numbers[RunFile.State.MISSING],
        scored=scored,
        total=sum(numbers.values()),
    )


def seen(lines: Sequence[RunLine]) -> str:
    """Differs whenever the list should be drawn anew."""
    return ".".join(f"{one.run.number}-{one.state}-{one.done}-{one.run.fate}" for one in lines)
