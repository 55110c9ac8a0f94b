"""The effect of corrected gold or of a new profile: figures and ranks of every ranking before and after it.

In: a phase and two choices of versions. Out: a `Comparison` for each ranking. It reads stored scores and
opens no gold; only organisers see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import inf, isnan

from evaluation import Presentation
from evaluation.ranking.results import EVERYTHING
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import track_title
from sharedtask.standings import standing_access
from sharedtask.standings.averages import averages_of
from sharedtask.standings.corrections import Versions
from sharedtask.standings.entries import Inputs
from sharedtask.standings.figures import figures_of
from sharedtask.standings.gold_fix.by_test_set import SetComparison, compare_sets
from sharedtask.standings.gold_fix.rows import RunComparison, SideFigures, compare_run, ranks
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing
from sharedtask.standings.rankings import rankings_by_track
from sharedtask.standings.signature import signature_of


@dataclass(frozen=True, kw_only=True)
class Comparison:
    phase: Phase
    track_title: str
    """Empty in a task without tracks."""
    ranking: str
    metric: str
    sets: tuple[SetComparison, ...]
    """The corrected test sets alone; pages show them first, because averages change little."""
    rows: tuple[RunComparison, ...]
    under_way: int
    """The number of runs with a file that is still to be scored against the new version."""
    old_standing: Standing | None
    new_standing: Standing | None
    """Workers compute the new one as soon as all scores exist."""
    old_signature: str
    new_signature: str
    """As readers see them now: they follow the release of gold. Empty without the standing."""

    @property
    def place(self) -> str:
        """Its phase, and its track if there are several."""
        return f"{self.phase.title}, {self.track_title}" if self.track_title else self.phase.title


def compare(phase: Phase, *, old: Versions, new: Versions, at: datetime) -> list[Comparison]:
    comparisons = []
    for track, ranking in rankings_by_track(phase):
        before = gather(phase, ranking, track, at=at, gold=old.gold, profile_version=old.profile)
        after = gather(phase, ranking, track, at=at, gold=new.gold, profile_version=new.profile)
        for metric in main_metrics(after.phase.task, track):
            comparison = compare_metric(after.phase, ranking, metric, before, after, at=at)
            if comparison.rows or comparison.under_way:
                comparisons.append(comparison)
    return comparisons


def compare_metric(
    phase: Phase, ranking: str, metric: str, before: Inputs, after: Inputs, *, at: datetime
) -> Comparison:
    presentation = presentation_of(phase.task, metric)
    old_standing, new_standing = standing_of(before), standing_of(after)
    old = side_over_all(before, metric, presentation, old_standing)
    new = side_over_all(after, metric, presentation, new_standing)
    runs = {entry.run.public_id: entry.run for entry in (*before.entries, *after.entries)}

    def sort_key(id: str) -> tuple[float, float, str]:
        """Runs without a figure come last."""
        figures = (side.figures.get(id) for side in (new, old))
        new_key, old_key = (inf if figure is None else presentation.sort_key(figure) for figure in figures)
        return new_key, old_key, runs[id].team.name

    return Comparison(
        phase=phase,
        track_title=track_title(phase.task, before.track),
        ranking=ranking,
        metric=metric,
        sets=compare_sets(metric, presentation, before, after),
        rows=tuple(compare_run(runs[id], old, new, presentation) for id in sorted(runs, key=sort_key)),
        under_way=len(after.under_way),
        old_standing=old_standing,
        new_standing=new_standing,
        old_signature=current_signature(old_standing, at=at),
        new_signature=current_signature(new_standing, at=at),
    )


def current_signature(standing: Standing | None, *, at: datetime) -> str:
    if standing is None:
        return ""
    return signature_of(standing, is_released=standing_access.gold_is_released(standing, at=at))


def side_over_all(
    inputs: Inputs, metric: str, presentation: Presentation, standing: Standing | None
) -> SideFigures:
    figures = averages_of(inputs, metric)
    return SideFigures(
        figures=figures,
        ranks=ranks(inputs, figures, presentation),
        intervals=intervals(standing, metric, presentation),
    )


def standing_of(inputs: Inputs) -> Standing | None:
    """The standing that was computed from exactly these inputs."""
    standings = Standing.objects.filter(phase=inputs.phase, track=inputs.track, ranking=inputs.ranking)
    return standings.filter(inputs_sha256=inputs.sha256).first()


def intervals(
    standing: Standing | None, metric: str, presentation: Presentation
) -> dict[str, dict[str, str]]:
    """By the public id of the run: its interval and range of ranks, as workers computed them."""
    figures = figures_of(standing) if standing is not None else None
    if figures is None or metric not in figures.metrics:
        return {}
    scope, column = figures.scopes.index(EVERYTHING), figures.metrics.index(metric)
    by_run = {}
    for row, id in enumerate(figures.systems):
        cell = row, scope, column
        low, high = figures.low[cell], figures.high[cell]
        best, worst = figures.rank_low[cell], figures.rank_high[cell]
        by_run[id] = {
            "interval": "" if isnan(low) else f"{presentation.text(low)}–{presentation.text(high)}",
            "ranks": "" if not best else f"{best}" if best == worst else f"{best}–{worst}",
        }
    return by_run
