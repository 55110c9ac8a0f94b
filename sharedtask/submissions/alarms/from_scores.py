"""Alarms that rest on scores: as secret as gold, and the organisers' alone.

`below_development`: in languages that both phases have, the run is on average more than 10 points below the
last development run of the same system.

`outliers`: a file far below its siblings in the run. Where at least three other systems have scored files of
the same test sets, each file is measured by its distance from their median there, so that a hard treebank is
no alarm; where there are fewer, by its score alone, and the difference has to be larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import mean, median

from sharedtask.competition.models import Phase
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.average import f1
from sharedtask.submissions.models import Alarm, Run, RunFile, Score

FAR_BELOW = 0.10
FEWEST_FILES = 5
FEWEST_OTHERS = 3
# Distances from the median, in absolute terms and in median absolute deviations scaled to a normal's sigma.
LEAST_DISTANCE = {"against others": 0.15, "by itself": 0.30}
DEVIATIONS = 3.5
SIGMA = 1.4826
SMALLEST_DEVIATION = 0.02


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
    scores = by_file(run)
    if len(scores) < FEWEST_FILES:
        return
    others = scores_of_others(run)
    known = all(len(others.get(file.test_set_id, [])) >= FEWEST_OTHERS for file in scores)
    way = "against others" if known else "by itself"
    values = {
        file: score - (median(others[file.test_set_id]) if known else 0.0) for file, score in scores.items()
    }
    centre = median(values.values())
    deviation = max(SMALLEST_DEVIATION, median(abs(value - centre) for value in values.values()))
    least = max(LEAST_DISTANCE[way], DEVIATIONS * SIGMA * deviation)
    for file, value in values.items():
        if centre - value > least:
            compared = "other systems' files of this test set considered" if known else "taken by themselves"
            text = (
                f"{file.test_set.code} has {100 * scores[file]:.1f} {main_metric(run)}, "
                f"{100 * (centre - value):.1f} points below the median of the run's files, {compared}."
            )
            yield Finding(kind=Alarm.Kind.OUTLIER, run=run, text=text, about=file.test_set.code, file=file)


def main_metric(run: Run) -> str:
    return next(iter(run.task.main_metrics), "LAS")


def by_file(run: Run) -> dict[RunFile, float]:
    scores = Score.objects.filter(file__run=run).done().in_force().select_related("file__test_set")
    found = {score.file: f1(score.counts.get(main_metric(run))) for score in scores}
    return {file: value for file, value in found.items() if value is not None}


def by_language(run: Run) -> Mapping[str, float]:
    values: dict[str, list[float]] = {}
    for file, score in by_file(run).items():
        values.setdefault(file.test_set.language, []).append(score)
    return {language: mean(scores) for language, scores in values.items()}


def scores_of_others(run: Run) -> Mapping[int, list[float]]:
    """By test set: of each other team's systems the last scored run of the phase."""
    runs = Run.objects.latest_scored_of_each_system(run.phase).exclude(team=run.team_id)
    scores = Score.objects.filter(file__run__in=list(runs)).done().in_force().select_related("file")
    values: dict[int, list[float]] = {}
    for score in scores:
        value = f1(score.counts.get(main_metric(run)))
        if value is not None:
            values.setdefault(score.file.test_set_id, []).append(value)
    return values
