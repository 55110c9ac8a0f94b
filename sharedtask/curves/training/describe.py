"""How far a training has come: a sentence, and the state of every sample.

In: a training. Out: `TrainingView`. A sample is trained once its run has a valid file for every test set of
the training; if it ended without one, the reason is given in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sharedtask.curves.models import TrainedSample, Training
from sharedtask.software.describe import outcome_sentence
from sharedtask.software.models import Execution
from sharedtask.submissions.models import Run, RunFile

Status = Literal["waiting", "running", "scoring", "trained", "missing"]
REASONS = {
    Execution.State.STOPPED: "Stopped.",
    Execution.State.FAILED: "A server error.",
}


@dataclass(frozen=True, kw_only=True)
class SampleView:
    sample: TrainedSample
    status: Status
    label: str
    reason: str = ""
    """Why it is missing."""

    @property
    def look(self) -> str:
        """A class of the style sheet."""
        return {"trained": "good", "missing": "bad"}.get(self.status, "")


@dataclass(frozen=True, kw_only=True)
class TrainingView:
    state: str
    rows: Sequence[tuple[int, Sequence[SampleView]]]
    """By size."""
    sentence: str
    trained: int
    total: int
    missing: Sequence[SampleView]
    is_live: bool

    @property
    def version(self) -> str:
        """Changes whenever the page has to be rendered again; begins with the state of the training."""
        labels = [view.label.replace(" ", "_") for _, views in self.rows for view in views]
        return "-".join([self.state.replace(" ", "_"), *labels])

    @property
    def has_gaps(self) -> bool:
        """Whether there is something to run again once it has ended or was stopped."""
        return any(view.status in ("missing", "waiting") for _, views in self.rows for view in views)


def describe(training: Training) -> TrainingView:
    return describe_all([training])[0]


def describe_all(trainings: Sequence[Training]) -> list[TrainingView]:
    """The number of queries does not grow with the trainings."""
    rows = TrainedSample.objects.filter(training__in=trainings).select_related("execution__run")
    samples: dict[int, list[TrainedSample]] = {training.pk: [] for training in trainings}
    for sample in rows:
        samples[sample.training_id].append(sample)
    runs = [sample.execution.run for sample in rows if sample.execution and sample.execution.run]
    unusable = unusable_files(runs)
    return [view_of(training, samples[training.pk], unusable) for training in trainings]


def view_of(
    training: Training, samples: Sequence[TrainedSample], unusable: dict[int, list[RunFile]]
) -> TrainingView:
    views = [describe_sample(sample, training.codes, unusable) for sample in samples]
    return TrainingView(
        state=training.state,
        rows=[(size, [view for view in views if view.sample.size == size]) for size in training.sizes],
        sentence=sentence_of(views),
        trained=sum(view.status == "trained" for view in views),
        total=len(views),
        missing=[view for view in views if view.status == "missing"],
        is_live=training.is_under_way or any(view.status in ("running", "scoring") for view in views),
    )


def unusable_files(runs: Sequence[Run]) -> dict[int, list[RunFile]]:
    """By run: missing and invalid files."""
    states = [RunFile.State.MISSING, RunFile.State.INVALID]
    files: dict[int, list[RunFile]] = {}
    for file in RunFile.objects.filter(run__in=runs, state__in=states).select_related("test_set"):
        files.setdefault(file.run_id, []).append(file)
    return files


def describe_sample(
    sample: TrainedSample, codes: Sequence[str], unusable: dict[int, list[RunFile]]
) -> SampleView:
    execution = sample.execution
    if execution is None:
        return SampleView(sample=sample, status="waiting", label="waiting")
    if not execution.is_final:
        return SampleView(sample=sample, status="running", label=execution.state)
    if not sample.is_run_due and (reason := reason_of(execution, codes, unusable)):
        return SampleView(sample=sample, status="missing", label="missing", reason=reason)
    if sample.is_run_due or not (execution.run and execution.run.is_final):
        return SampleView(sample=sample, status="scoring", label="being scored")
    return SampleView(sample=sample, status="trained", label="trained")


def reason_of(execution: Execution, codes: Sequence[str], unusable: dict[int, list[RunFile]]) -> str:
    """Empty if nothing is missing. Nothing that the software printed is quoted.

    Test sets of the phase for which the training has no inputs are missing in every run.
    """
    if execution.state in REASONS:
        return REASONS[Execution.State(execution.state)]
    if execution.run is None:
        return f"{outcome_sentence(execution)} It wrote no output."
    if execution.run.state in (Run.State.FAILED, Run.State.REFUSED):
        return "A server error prevented its scoring."
    files = [file for file in unusable.get(execution.run.pk, []) if file.test_set.code in codes]
    if not files:
        return ""
    described = ", ".join(f"{file.test_set.code}.conllu is {file.state}" for file in files)
    return f"{outcome_sentence(execution)} {described}."


def sentence_of(views: Sequence[SampleView]) -> str:
    numbers = {
        status: sum(view.status == status for view in views)
        for status in ("trained", "missing", "running", "scoring", "waiting")
    }
    names = {"running": "under way", "scoring": "being scored", "waiting": "waiting", "missing": "missing"}
    others = [f"{numbers[status]} {name}" for status, name in names.items() if numbers[status]]
    return ", ".join([f"{numbers['trained']} of {len(views)} samples trained", *others]) + "."
