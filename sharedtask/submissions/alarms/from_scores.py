"""Alarms that rest on scores: as secret as gold, and the organisers' alone. They look at every main metric.

`below_development`: in languages that both phases have, the run is on average more than 10 points below the
last development run of the same system; by the metric that has dropped most.

`outliers`: files far below their siblings, or with next to nothing where others have a good deal; what that
means is said in `outlying.py`. A file is named once, by the first metric that shows it. Because it rests on
other systems too, all runs of a phase are looked over again with `outliers_of` when its standings have been
computed anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from statistics import mean
from typing import NamedTuple

from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import Phase
from sharedtask.submissions.alarms import outlying
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.alarms.from_upload import listing
from sharedtask.submissions.average import FileCounts, f1
from sharedtask.submissions.models import Alarm, Run, RunFile, Score

FAR_BELOW = 0.10

Counts = dict[RunFile, FileCounts]
"""Of the scored files of one run."""
Scores = dict[RunFile, float]
"""The figures of one metric."""


class Change(NamedTuple):
    """A run against an earlier one by one metric, over the languages that both have."""

    metric: str
    now: Mapping[str, float]
    then: Mapping[str, float]

    @property
    def drop(self) -> float:
        return mean(self.then[language] - self.now[language] for language in self.now)


def below_development(run: Run) -> Iterator[Finding]:
    if run.phase.kind == Phase.Kind.DEVELOPMENT:
        return
    earlier = Run.objects.filter(
        task=run.task_id, system=run.system_id, phase__kind=Phase.Kind.DEVELOPMENT, state=Run.State.SCORED
    )
    before = earlier.that_count().order_by("received_at", "number").last()
    if before is None:
        return
    change = max(changes(run, before), key=lambda one: one.drop, default=None)
    if change is None or change.drop <= FAR_BELOW:
        return
    metric, now, then = change
    worst = max(now, key=lambda language: then[language] - now[language])
    text = (
        f"{points(run, metric, change.drop)} points of {metric} below run {before.number} of the development "
        f"phase, over {len(now)} languages that both have; most in {worst} "
        f"({points(run, metric, then[worst])} then, {points(run, metric, now[worst])} now)."
    )
    yield Finding(kind=Alarm.Kind.BELOW_DEVELOPMENT, run=run, text=text)


def changes(run: Run, before: Run) -> Iterator[Change]:
    """By each main metric; nothing where the two runs have no language in common."""
    counts = counts_of([run, before])
    for metric in main_metrics(run.task):
        now, then = (by_language(scores(counts.get(one.pk, {}), metric)) for one in (run, before))
        both = sorted(now.keys() & then.keys())
        if both:
            yield Change(metric, {name: now[name] for name in both}, {name: then[name] for name in both})


def outliers(run: Run) -> Iterator[Finding]:
    own = counts_of([run]).get(run.pk, {})
    yield from outliers_by_any_metric(run, own, latest(run.phase))


def outliers_of(phase: Phase) -> Iterator[Finding]:
    """Of the latest run of each system of the phase; as many queries for many systems as for few."""
    field = latest(phase)
    for run, counts in field.items():
        yield from outliers_by_any_metric(run, counts, field)


def outliers_by_any_metric(run: Run, own: Counts, field: Mapping[Run, Counts]) -> Iterator[Finding]:
    named: set[str] = set()
    for number, metric in enumerate(main_metrics(run.task)):
        others = by_test_set(field, metric, without=run.team_id)
        suffix = f"-{metric}" if number else ""
        for finding, codes in outliers_among(run, metric, scores(own, metric), others, named, suffix):
            named.update(codes)
            yield finding


def outliers_among(
    run: Run,
    metric: str,
    scores: Scores,
    others: Mapping[str, list[float]],
    named: Collection[str],
    suffix: str,
) -> Iterator[tuple[Finding, Collection[str]]]:
    """Each with the test sets that it names; what was named before is left out."""
    by_code = {file.test_set.code: score for file, score in scores.items()}
    files = {file.test_set.code: file for file in scores}
    nothing = [code for code in outlying.next_to_nothing(by_code, others) if code not in named]
    far_below = {
        code: distance
        for code, distance in outlying.far_below(by_code, others).items()
        if code not in nothing and code not in named
    }
    if nothing:
        text = (
            f"Next to nothing (less than {presentation_of(run.task, metric).factor * outlying.NOTHING:.0f} "
            f"{metric}) where most other systems have a good deal: {listing(nothing)}."
        )
        # One alarm for all of them, and another when there are more.
        about = f"nothing-in-{len(nothing)}{suffix}"
        yield Finding(kind=Alarm.Kind.OUTLIER, run=run, text=text, about=about), nothing
    known = outlying.against_others(by_code, others)
    compared = "other systems' files of this test set considered" if known else "taken by themselves"
    for code, distance in far_below.items():
        text = (
            f"{code} has {points(run, metric, by_code[code])} {metric}, "
            f"{points(run, metric, distance)} points below the median of the run's files, {compared}."
        )
        about = f"{code}{suffix}"
        yield Finding(kind=Alarm.Kind.OUTLIER, run=run, text=text, about=about, file=files[code]), [code]


def points(run: Run, metric: str, figure: float) -> str:
    """Roughly, with one decimal: an alarm is no result."""
    return f"{presentation_of(run.task, metric).factor * figure:.1f}"


def counts_of(runs: Collection[Run]) -> dict[int, Counts]:
    """By the key of the run, in one query."""
    done = Score.objects.filter(file__run__in=[run.pk for run in runs]).done().in_force()
    found: dict[int, Counts] = {}
    for score in done.select_related("file__test_set"):
        found.setdefault(score.file.run_id, {})[score.file] = score.counts
    return found


def scores(counts: Counts, metric: str) -> Scores:
    figures = {file: f1(by_metric.get(metric)) for file, by_metric in counts.items()}
    return {file: figure for file, figure in figures.items() if figure is not None}


def by_language(scores: Scores) -> Mapping[str, float]:
    values: dict[str, list[float]] = {}
    for file, score in scores.items():
        values.setdefault(file.test_set.language, []).append(score)
    return {language: mean(figures) for language, figures in values.items()}


def latest(phase: Phase) -> dict[Run, Counts]:
    """The last scored run of each system of the phase."""
    runs = list(Run.objects.latest_scored_of_each_system(phase).select_related("task", "team"))
    counts = counts_of(runs)
    return {run: counts.get(run.pk, {}) for run in runs}


def by_test_set(field: Mapping[Run, Counts], metric: str, *, without: int) -> dict[str, list[float]]:
    """The scores of other teams' systems."""
    values: dict[str, list[float]] = {}
    for run, counts in field.items():
        for file, score in scores(counts, metric).items() if run.team_id != without else ():
            values.setdefault(file.test_set.code, []).append(score)
    return values
