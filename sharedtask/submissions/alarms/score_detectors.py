"""Alarms that depend on scores: as secret as gold, so only organisers see them. They use all main metrics.

`find_drop`: over the languages of both phases, the run is on average more than 0.1 (10 points of F1 × 100)
worse than the last development run of the same system, by the metric with the largest drop.

`find_outliers`: files far worse than the others of the run, or with a score near zero where other systems do
well; `outlier_rules.py` defines both. A file is reported once, for the first metric that shows it. Because
outliers depend on other systems too, `find_outliers_in_phase` inspects all runs of a phase again when its
standings have been recomputed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from statistics import mean
from typing import NamedTuple

from evaluation import Presentation
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import Phase
from sharedtask.submissions.alarms import outlier_rules
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.alarms.upload_detectors import format_list
from sharedtask.submissions.average import FileCounts, figure_of
from sharedtask.submissions.models import Alarm, Run, RunFile, Score

SUSPICIOUS_DROP = 0.10

Counts = dict[RunFile, FileCounts]
"""By scored file of one run."""
Scores = dict[RunFile, float]
"""The scores of one run by one metric."""


class Change(NamedTuple):
    """A run compared with an earlier one by one metric, over the languages that both have."""

    metric: str
    presentation: Presentation
    now: Mapping[str, float]
    then: Mapping[str, float]

    def drop_in(self, language: str) -> float:
        return self.presentation.advantage(self.then[language], self.now[language])

    @property
    def drop(self) -> float:
        return mean(self.drop_in(language) for language in self.now)


def find_drop(run: Run) -> Iterator[Finding]:
    if run.phase.kind == Phase.Kind.DEVELOPMENT:
        return
    development_runs = Run.objects.filter(
        task=run.task_id, system=run.system_id, phase__kind=Phase.Kind.DEVELOPMENT, state=Run.State.SCORED
    )
    before = development_runs.counting().order_by("received_at", "number").last()
    if before is None:
        return
    change = max(changes(run, before), key=lambda change: change.drop, default=None)
    if change is None or change.drop <= SUSPICIOUS_DROP:
        return
    metric, presentation, now, then = change
    worst = max(now, key=change.drop_in)
    text = (
        f"{metric} is {format_distance(change.drop, presentation)} run {before.number} of the "
        f"development phase, averaged over {len(now)} shared languages; the largest drop is in {worst} "
        f"({format_figure(then[worst], presentation)} before, {format_figure(now[worst], presentation)} now)."
    )
    yield Finding(kind=Alarm.Kind.BELOW_DEVELOPMENT, run=run, text=text)


def changes(run: Run, before: Run) -> Iterator[Change]:
    """One per main metric; none if the two runs have no language in common."""
    counts = counts_of([run, before])
    for metric in main_metrics(run.task, run.track):
        now, then = (by_language(scores(counts.get(pk, {}), metric)) for pk in (run.pk, before.pk))
        shared = sorted(now.keys() & then.keys())
        if shared:
            yield Change(
                metric,
                presentation_of(run.task, metric),
                {name: now[name] for name in shared},
                {name: then[name] for name in shared},
            )


def find_outliers(run: Run) -> Iterator[Finding]:
    own_counts = counts_of([run]).get(run.pk, {})
    yield from outliers_by_any_metric(run, own_counts, latest_counts(run.phase))


def find_outliers_in_phase(phase: Phase) -> Iterator[Finding]:
    """Of the latest run of each system of the phase; the number of queries does not grow with the systems."""
    latest = latest_counts(phase)
    for run, counts in latest.items():
        yield from outliers_by_any_metric(run, counts, latest)


def outliers_by_any_metric(run: Run, own: Counts, latest: Mapping[Run, Counts]) -> Iterator[Finding]:
    reported: set[str] = set()
    in_track = {other: counts for other, counts in latest.items() if other.track == run.track}
    for number, metric in enumerate(main_metrics(run.task, run.track)):
        others = scores_of_others(in_track, metric, without=run.team_id)
        suffix = f"-{metric}" if number else ""
        for finding, codes in outliers_by_metric(run, metric, scores(own, metric), others, reported, suffix):
            reported.update(codes)
            yield finding


def outliers_by_metric(
    run: Run,
    metric: str,
    scores: Scores,
    others: Mapping[str, list[float]],
    reported: Collection[str],
    suffix: str,
) -> Iterator[tuple[Finding, Collection[str]]]:
    """Each with the test sets that it reports; those reported before are left out."""
    by_code = {file.test_set.code: score for file, score in scores.items()}
    files = {file.test_set.code: file for file in scores}
    presentation = presentation_of(run.task, metric)
    near_zero = [
        code for code in outlier_rules.near_zero(by_code, others, presentation) if code not in reported
    ]
    far_off = {
        code: distance
        for code, distance in outlier_rules.far_off(by_code, others, presentation).items()
        if code not in near_zero and code not in reported
    }
    if near_zero:
        limit = presentation.factor * outlier_rules.NEAR_ZERO
        text = (
            f"{metric} is near zero (below {limit:g}) although most other systems score much higher: "
            f"{format_list(near_zero)}."
        )
        # One alarm for all of them, and a new one when there are more.
        about = f"nothing-in-{len(near_zero)}{suffix}"
        yield Finding(kind=Alarm.Kind.OUTLIER, run=run, text=text, about=about), near_zero
    relative = outlier_rules.comparable_with_others(by_code, others)
    basis = (
        "relative to other systems on each test set" if relative else "without comparison with other systems"
    )
    for code, distance in far_off.items():
        text = (
            f"{code}: {metric} is {format_figure(by_code[code], presentation)}, "
            f"{format_distance(distance, presentation)} the median of the run's files ({basis})."
        )
        about = f"{code}{suffix}"
        yield Finding(kind=Alarm.Kind.OUTLIER, run=run, text=text, about=about, file=files[code]), [code]


def format_figure(figure: float, presentation: Presentation) -> str:
    """With one digit less than a result: an alarm is not a result."""
    return f"{presentation.factor * figure:.{max(0, presentation.digits - 1)}f}"


def format_distance(distance: float, presentation: Presentation) -> str:
    """`12.3 points below`, or `0.12 above` on another scale where lower is better."""
    words = (format_figure(distance, presentation), presentation.unit, presentation.worse_word)
    return " ".join(word for word in words if word)


def counts_of(runs: Collection[Run]) -> dict[int, Counts]:
    """By the primary key of the run, in one query."""
    done = Score.objects.filter(file__run__in=[run.pk for run in runs]).done().in_force()
    by_run: dict[int, Counts] = {}
    for score in done.select_related("file__test_set"):
        by_run.setdefault(score.file.run_id, {})[score.file] = score.counts
    return by_run


def scores(counts: Counts, metric: str) -> Scores:
    figures = {file: figure_of(by_metric.get(metric)) for file, by_metric in counts.items()}
    return {file: figure for file, figure in figures.items() if figure is not None}


def by_language(scores: Scores) -> Mapping[str, float]:
    values: dict[str, list[float]] = {}
    for file, score in scores.items():
        values.setdefault(file.test_set.language, []).append(score)
    return {language: mean(figures) for language, figures in values.items()}


def latest_counts(phase: Phase) -> dict[Run, Counts]:
    """The last scored run of each system of the phase."""
    runs = list(Run.objects.latest_scored_of_each_system(phase).select_related("task", "team"))
    counts = counts_of(runs)
    return {run: counts.get(run.pk, {}) for run in runs}


def scores_of_others(latest: Mapping[Run, Counts], metric: str, *, without: int) -> dict[str, list[float]]:
    """The scores of other teams' systems, by the code of the test set."""
    values: dict[str, list[float]] = {}
    for run, counts in latest.items():
        if run.team_id == without:
            continue
        for file, score in scores(counts, metric).items():
            values.setdefault(file.test_set.code, []).append(score)
    return values
