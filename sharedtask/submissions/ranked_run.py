"""Which run of each system an open phase ranks, and what a team may know of it before its next upload.

In: a team, its open phases, a time. Out: `RankedRun`s with their scores. Blind phases rank the latest run and
nothing is said of it here: the text would depend on scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.competition import task_access
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_title
from sharedtask.submissions.models import Run
from sharedtask.submissions.own_scores import averages_of_own_runs
from sharedtask.teams.models import Team

Policy = Task.OpenPolicy


@dataclass(frozen=True, kw_only=True)
class RankedRun:
    run: Run
    figure: float | None
    """The average of the first main metric; None if no file has been scored."""

    @property
    def phase(self) -> Phase:
        return self.run.phase

    @property
    def track_title(self) -> str:
        """Empty in a task without tracks."""
        return track_title(self.run.phase.task, self.run.track)

    @property
    def name(self) -> str:
        """With its score, as printed."""
        if self.figure is None:
            return f"run {self.run.number}"
        metric = main_metrics(self.run.phase.task, self.run.track)[0]
        return (
            f"run {self.run.number} ({metric} {presentation_of(self.phase.task, metric).text(self.figure)})"
        )

    @property
    def sentence(self) -> str:
        """What the next upload does to it."""
        if self.phase.open_policy == Policy.BEST:
            return f"The leaderboard shows your best run, now {self.name}."
        replaced = f"This upload replaces {self.name} on the leaderboard"
        if self.phase.open_policy == Policy.LATEST:
            return f"{replaced}."
        if self.run.marked_official_at is None:
            return f"{replaced}, unless you mark a run."
        return f"The leaderboard keeps {self.name}, which your team marked."


def choose_ranked(policy: str, runs: Iterable[Run]) -> list[Run]:
    """By system and track: its marked run where the policy says so, else the last received.

    Scores are not read.
    """
    in_order = sorted(runs, key=lambda run: (run.received_at, run.number))
    last = {(run.system_id, run.track): run for run in in_order}
    if policy == Policy.MARKED:
        last |= {(run.system_id, run.track): run for run in in_order if run.marked_official_at is not None}
    return list(last.values())


def ranked_runs(
    viewer: Viewer, task: Task, team: Team, phases: Iterable[Phase], *, at: datetime
) -> list[RankedRun]:
    """Those of this team in phases that show scores and have no official runs, latest phase last."""
    open_phases = [
        phase for phase in phases if not phase.is_official and not task_access.is_blind(phase, at=at)
    ]
    scored = Run.objects.filter(team=team, phase__in=open_phases, state=Run.State.SCORED)
    scored = scored.counting().outside_series()
    by_phase: dict[int, list[Run]] = {phase.pk: [] for phase in open_phases}
    phases_by_key = {phase.pk: phase for phase in open_phases}
    for run in scored.filter(system__withdrawn_at=None).select_related("system"):
        run.task, run.phase = task, phases_by_key[run.phase_id]
        by_phase[run.phase_id].append(run)
    candidates = [run for phase in open_phases for run in narrowed(phase.open_policy, by_phase[phase.pk])]
    figures = averages(viewer, task, team, candidates, at=at)
    ranked = [RankedRun(run=run, figure=figures.get(run.pk)) for run in candidates]
    return [chosen for phase in open_phases for chosen in best_or_only(phase, ranked)]


def narrowed(policy: str, runs: Sequence[Run]) -> Sequence[Run]:
    """The runs whose scores are needed: all of them only if the best is ranked."""
    return runs if policy == Policy.BEST else choose_ranked(policy, runs)


def best_or_only(phase: Phase, ranked: Iterable[RankedRun]) -> list[RankedRun]:
    """Of equal averages the run that was received first, as in the standings."""
    of_phase = [candidate for candidate in ranked if candidate.run.phase_id == phase.pk]
    by_system: dict[tuple[str, int], list[RankedRun]] = {}
    for candidate in sorted(of_phase, key=lambda candidate: (candidate.run.received_at, candidate.run.pk)):
        by_system.setdefault((candidate.run.track, candidate.run.system_id), []).append(candidate)
    return [best_of(phase.task, track, candidates) for (track, _), candidates in by_system.items()]


def best_of(task: Task, track: str, candidates: Sequence[RankedRun]) -> RankedRun:
    presentation = presentation_of(task, main_metrics(task, track)[0])
    return min(candidates, key=lambda candidate: presentation.sort_key(candidate.figure or 0.0))


def averages(
    viewer: Viewer, task: Task, team: Team, runs: Sequence[Run], *, at: datetime
) -> dict[int, float | None]:
    """Of the first main metric, by the primary key of the run."""
    by_metric = averages_of_own_runs(viewer, task, team, runs, at=at)
    return {run: next(iter(figures.values()), None) for run, figures in by_metric.items()}
