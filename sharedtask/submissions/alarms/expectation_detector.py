"""An alarm for a dry run of software: its score differs from what the team expects.

`find_unexpected_score`: in a phase that shows scores, the expected average of the first main metric lies
outside the 95% bootstrap interval of the run. Expected is what the team has declared, and the average of its
own latest upload of the same system. In 2017 a team lost 14 places because a library behaved differently on
the server; this is to be seen before the test.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.ranking.bootstrap import resample
from evaluation.ranking.results import EVERYTHING, GoldSet, Outcome, Results
from sharedtask.competition.metrics import main_metrics, options_of, presentation_of
from sharedtask.competition.models import Phase, Task
from sharedtask.core import sealing, storage
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.average import average
from sharedtask.submissions.models import Alarm, Run, RunFile, Score
from sharedtask.submissions.models.score import ScoreQuerySet


def find_unexpected_score(run: Run) -> Iterator[Finding]:
    if run.origin != Run.Origin.SOFTWARE or run.phase.feedback != Phase.Feedback.SCORES:
        return
    expectations = dict(expected_scores(run))
    if not expectations:
        return
    metric = main_metrics(run.task, run.track)[0]
    presentation = presentation_of(run.task, metric)
    low, high = interval_of(run, metric)
    average = presentation.text(average_of(run, metric))
    for source, expected in expectations.items():
        if not low <= expected <= high:
            text = (
                f"{metric} of this run of the software is {average} (95% interval {presentation.text(low)} "
                f"to {presentation.text(high)}), but {source} is {presentation.text(expected)}."
            )
            yield Finding(kind=Alarm.Kind.UNEXPECTED, run=run, text=text, about=source.split()[0])


def expected_scores(run: Run) -> Iterator[tuple[str, float]]:
    """Where each expectation comes from, in words, and the score."""
    if run.declared_score is not None:
        yield "declared by the team", run.declared_score
    own = Run.objects.filter(phase=run.phase_id, system=run.system_id, state=Run.State.SCORED)
    own = own.in_track(run.track).counting()
    uploads = own.filter(origin__in=[Run.Origin.NEW, Run.Origin.AMENDED], produced={})
    last = uploads.order_by("received_at", "number").last()
    if last is not None:
        yield f"uploaded run {last.number}", average_of(last, main_metrics(run.task, run.track)[0])


def average_of(run: Run, metric: str) -> float:
    test_sets = [file.test_set for file in run.files.select_related("test_set")]
    counts = dict(scores_of(run).values_list("file__test_set__code", "counts"))
    return average(run.task, test_sets, counts, metrics=[metric])[metric]


def interval_of(run: Run, metric: str) -> tuple[float, float]:
    """As in standings, of this run alone."""
    task = run.task
    units = dict(scores_of(run).values_list("file__test_set__code", "units"))
    files = run.files.select_related("test_set")
    results = Results(
        profile=task.profile,
        sets=tuple(GoldSet(code=file.test_set.code) for file in files),
        systems={run.public_id: {file.test_set.code: outcome_of(file, units) for file in files}},
        options=options_of(task, run.track),
        unit=task.resampling_unit,  # type: ignore[arg-type]
    )
    zero = task.missing_policy == Task.MissingPolicy.ZERO
    resampled = resample(
        results,
        metrics=[metric],
        replicates=task.replicates,
        seed=task.seed,
        policy="zero" if zero else "exclude",
    )
    scope = resampled.scopes.index(EVERYTHING)
    return float(resampled.low[scope, 0, 0]), float(resampled.high[scope, 0, 0])


def outcome_of(file: RunFile, units: dict[str, str]) -> Outcome:
    stored = units.get(file.test_set.code)
    if not stored:
        return Outcome(status="invalid" if file.state == RunFile.State.INVALID else "missing")
    return Outcome(status="valid", stored=sealing.unseal(storage.read(stored)))


def scores_of(run: Run) -> ScoreQuerySet:
    return Score.objects.filter(file__run=run).done().in_force()
