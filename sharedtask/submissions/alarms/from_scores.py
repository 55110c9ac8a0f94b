"""Alarms that rest on scores: as secret as gold, and the organisers' alone.

`below_development`: in languages that both phases have, the run is on average more than 10 points below the
last development run of the same system.

`outliers`: files far below their siblings, or with next to nothing where others have a good deal; what that
means is said in `outlying.py`. Because it rests on other systems too, all runs of a phase are looked over
again with `outliers_of` when its standings have been computed anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

from sharedtask.competition.models import Phase
from sharedtask.submissions.alarms import outlying
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.alarms.from_upload import listing
from sharedtask.submissions.average import f1
from sharedtask.submissions.models import Alarm, Run, RunFile, Score

FAR_BELOW = 0.10

Scores = dict[RunFile, float]


def below_development(run: Run) -> Iterator[Finding]:
    if run.phase.kind == Phase.Kind.DEVELOPMENT:
        return
    earlier = Run.objects.filter(
        task=run.task_id, system=run.system_id, phase__kind=Phase.Kind.DEVELOPMENT, state=Run.State.SCORED
    )
    before = earlier.that_count().order_by("received_at", "number").last()
    if before is None:
        return
    now, then = by_language(run), by_language(before)
    both = sorted(now.keys() & then.keys())
    if not both:
        return
    drop = mean(then[language] - now[language] for language in both)
    if drop > FAR_BELOW:
        worst = max(both, key=lambda language: then[language] - now[language])
        text = (
            f"{100 * drop:.1f} points of {main_metric(run)} below run {before.number} of the development "
            f"phase, over {len(both)} languages that both have; most in {worst} "
            f"({100 * then[worst]:.1f} then, {100 * now[worst]:.1f} now)."
        )
        yield Finding(kind=Alarm.Kind.BELOW_DEVELOPMENT, run=run, text=text)


def outliers(run: Run) -> Iterator[Finding]:
    yield from outliers_among(run, by_file(run), by_test_set(latest(run.phase), without=run.team_id))


def outliers_of(phase: Phase) -> Iterator[Finding]:
    """Of the latest run of each system of the phase; as many queries for many systems as for few."""
    field = latest(phase)
    for run, scores in field.items():
        yield from outliers_among(run, scores, by_test_set(field, without=run.team_id))


def outliers_among(run: Run, scores: Scores, others: Mapping[str, list[float]]) -> Iterator[Finding]:
    by_code = {file.test_set.code: score for file, score in scores.items()}
    files = {file.test_set.code: file for file in scores}
    nothing = outlying.next_to_nothing(by_code, others)
    if nothing:
        text = (
            f"Next to nothing (less than {100 * outlying.NOTHING:.0f} {main_metric(run)}) where most other "
            f"systems have a good deal: {listing(nothing)}."
        )
        # One alarm for all of them, and another when there are more.
        about = f"nothing-in-{len(nothing)}"
        yield Finding(kind=Alarm.Kind.OUTLIER, run=run, text=text, about=about)
    known = outlying.against_others(by_code, others)
    compared = "other systems' files of this test set considered" if known else "taken by themselves"
    for code, distance in outlying.far_below(by_code, others).items():
        if code not in nothing:
            text = (
                f"{code} has {100 * by_code[code]:.1f} {main_metric(run)}, "
                f"{100 * distance:.1f} points below the median of the run's files, {compared}."
            )
            yield Finding(kind=Alarm.Kind.OUTLIER, run=run, text=text, about=code, file=files[code])


def main_metric(run: Run) -> str:
    return next(iter(run.task.main_metrics), "LAS")


def by_file(run: Run) -> Scores:
    return scores_of([run]).get(run.pk, {})


def scores_of(runs: Sequence[Run]) -> dict[int, Scores]:
    """By the key of the run: the main metric of its scored files."""
    metrics = {run.pk: main_metric(run) for run in runs}
    scores = Score.objects.filter(file__run__in=metrics).done().in_force().select_related("file__test_set")
    found: dict[int, Scores] = {}
    for score in scores:
        value = f1(score.counts.get(metrics[score.file.run_id]))
        if value is not None:
            found.setdefault(score.file.run_id, {})[score.file] = value
    return found


def by_language(run: Run) -> Mapping[str, float]:
    values: dict[str, list[float]] = {}
    for file, score in by_file(run).items():
        values.setdefault(file.test_set.language, []).append(score)
    return {language: mean(scores) for language, scores in values.items()}


def latest(phase: Phase) -> dict[Run, Scores]:
    """The last scored run of each system of the phase."""
    runs = list(Run.objects.latest_scored_of_each_system(phase).select_related("task", "team"))
    scores = scores_of(runs)
    return {run: scores.get(run.pk, {}) for run in runs}


def by_test_set(field: Mapping[Run, Scores], *, without: int) -> dict[str, list[float]]:
    """The scores of other teams' systems."""
    values: dict[str, list[float]] = {}
    for run, scores in field.items():
        for file, score in scores.items() if run.team_id != without else ():
            values.setdefault(file.test_set.code, []).append(score)
    return values
