"""Analysis of series by workers, whenever their runs or released gold have changed.

In: the key of a system. Out: the `SeriesAnalysis` of its series in each phase. Running it twice changes
nothing. A test set or a system that cannot be used is left out, with the reason.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import QuerySet

import evaluation
from evaluation.curves import tallies
from evaluation.curves.analyse import AnalysedSet, analyse
from evaluation.curves.analysis import Analysis
from evaluation.curves.attachments import Attachments, right_heads
from evaluation.curves.average import average
from evaluation.curves.classes import CRITERIA
from evaluation.curves.folders import BadSeries
from evaluation.curves.stored import to_bytes
from evaluation.reading.fields import Mask
from sharedtask.competition.models import GoldVersion
from sharedtask.competition.treebanks import read_file
from sharedtask.core import clock, storage
from sharedtask.curves.models import SeriesAnalysis
from sharedtask.curves.series import Series, find_series, systems_with_series
from sharedtask.submissions.models import Run
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import ANALYSE_SERIES

log = logging.getLogger(__name__)

REPLICATES, FEW_SETS, REPLICATES_OF_MANY = 1000, 4, 250
"""All replicates of all test sets are in memory at once, so there are fewer of many sets."""
MAX_PROBLEMS = 20


class AnalyseSeries(WorkKind[SeriesAnalysis]):
    target = ANALYSE_SERIES
    stage = "curves"
    key = "system_id"
    related = ("system", "phase__task")
    retries = RetryPolicy(max_attempts=8, max_losses=5)

    def waiting(self) -> QuerySet[SeriesAnalysis]:
        return SeriesAnalysis.objects.waiting()

    def create_rows(self, keys: Sequence[Key]) -> None:
        for system, phase in systems_with_series(keys):
            request_analysis(find_series(system, phase))

    def discover(self, *, at: datetime) -> None:
        for system, phase in systems_with_series():
            request_analysis(find_series(system, phase))

    def process(self, row: SeriesAnalysis) -> None:
        record(row, find_series(row.system, row.phase))

    def give_up(self, row: SeriesAnalysis, failure: Failure) -> None:
        """New runs or gold start it again."""
        SeriesAnalysis.objects.filter(pk=row.pk).update(
            analysed_inputs=row.inputs,
            result=b"",
            tallies=b"",
            problems=["The analysis failed because of a server error."],
        )

    def log_fields(self, row: SeriesAnalysis) -> dict[str, str]:
        return {"series": str(row.pk)}


def request_analysis(series: Series) -> None:
    """Make the series wait for a worker if anything has changed."""
    inputs = series.inputs
    row, created = SeriesAnalysis.objects.get_or_create(
        system=series.system, phase=series.phase, defaults={"inputs": inputs, "dispatched_at": None}
    )
    if not created and row.inputs != inputs:
        SeriesAnalysis.objects.filter(pk=row.pk).update(
            inputs=inputs, dispatched_at=None, attempts=0, losses=0, failure={}
        )


def record(row: SeriesAnalysis, series: Series) -> None:
    problems: list[str] = []
    read = read_outputs(series, problems)
    analyses = analyses_of(read, problems)
    SeriesAnalysis.objects.filter(pk=row.pk).update(
        analysed_inputs=series.inputs,
        runs=[run.public_id for run in series.runs],
        placed=[run.public_id for run in series.placed if any(run.public_id in a.systems for a in read)],
        gold=gold_of(series, read),
        result=to_bytes(analyses) if analyses else b"",
        tallies=tallies.to_bytes([tallies.tally(each) for each in read]) if analyses else b"",
        problems=problems,
        analysed_at=clock.database_now(),
        attempts=0,
        losses=0,
        failure={},
        **released(),
    )


def read_outputs(series: Series, problems: list[str]) -> list[Attachments]:
    """Of the test sets for which the series has outputs: a training has only those with training data."""
    runs = {run.pk for run in series.runs}
    covered = {gold for gold, run in series.outputs if run in runs}
    if without := [version.test_set.code for version in series.gold if version.pk not in covered]:
        add_problem(problems, f"No run of the series has an output for {', '.join(without)}.")
    versions = [version for version in series.gold if version.pk in covered]
    return [attached for version in versions if (attached := attachments_of(series, version, problems))]


def gold_of(series: Series, read: Sequence[Attachments]) -> list[int]:
    """Keys of the versions that were used; all of them if there are no curves."""
    used = {attachments.name for attachments in read}
    return [version.pk for version in series.gold if not used or version.test_set.code in used]


def analyses_of(read: Sequence[Attachments], problems: list[str]) -> list[Analysis]:
    """By every criterion: each test set, and the average of several."""
    replicates = REPLICATES if len(read) <= FEW_SETS else REPLICATES_OF_MANY
    analyses: list[Analysis] = []
    for by in CRITERIA:
        sets: list[AnalysedSet] = []
        for attachments in read:
            try:
                sets.append(analyse(attachments, by=by, replicates=replicates))
            except BadSeries as error:
                add_problem(problems, f"{attachments.name}: {error}")
        analyses += [test_set.analysis for test_set in sets]
        try:
            analyses += [average(sets)] if len(sets) > 1 else []
        except BadSeries as error:
            add_problem(problems, str(error))
    return analyses


def attachments_of(series: Series, version: GoldVersion, problems: list[str]) -> Attachments | None:
    """None if the series is not complete enough on this test set; systems are named by their runs."""
    code = version.test_set.code
    gold = read_file(version.test_set.task, storage.read(version.public_copy), name=code)
    try:
        samples = {
            size: {
                number: heads
                for number, run in of_size.items()
                if (heads := usable_heads(series, version, gold, run, problems)) is not None
            }
            for size, of_size in series.samples.items()
        }
        complete = {size: of_size for size, of_size in samples.items() if of_size}
        return Attachments(code, gold, complete, placed_heads(series, version, gold))
    except BadSeries as error:
        add_problem(problems, f"{code}: {error}")
        return None


def usable_heads(
    series: Series, version: GoldVersion, gold: evaluation.Treebank, run: Run, problems: list[str]
) -> Mask | None:
    """An output with other tokens is left out, with the reason, and costs no other sample."""
    try:
        return heads_of(series, version, gold, run)
    except BadSeries as error:
        add_problem(problems, f"{version.test_set.code}: {error}")
        return None


def heads_of(series: Series, version: GoldVersion, gold: evaluation.Treebank, run: Run) -> Mask | None:
    """None without an output; raises BadSeries if the output has other words than gold."""
    output = series.outputs.get((version.pk, run.pk))
    if output is None:
        return None
    name = f"run {run.number}, {version.test_set.code}.conllu"
    with storage.local_copy(output) as path:
        return right_heads(gold, read_file(version.test_set.task, path, name=name, track=run.track))


def placed_heads(series: Series, version: GoldVersion, gold: evaluation.Treebank) -> Mapping[str, Mask]:
    """By the runs' public ids. A system with tokens of its own cannot be placed on the curve."""
    placed = {}
    for run in series.placed:
        try:
            heads = heads_of(series, version, gold, run)
        except BadSeries:
            log.info("the tokens of run %s differ from %s", run.public_id, version)
            continue
        if heads is not None:
            placed[run.public_id] = heads
    return placed


def add_problem(problems: list[str], text: str) -> None:
    if text not in problems and len(problems) < MAX_PROBLEMS:
        problems.append(text)
