"""Request a training: a version of a system, the sizes and the number of samples.

In: these and a phase. Out: a `Training` with all its samples, and a message to the workers; or a refusal.
Gold is public or released, whoever requests it: see `sharedtask/software/public_gold.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from evaluation import FORMATS
from evaluation.curves.folders import BadSeries
from evaluation.curves.samples import check_samples, split_sentences
from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import GoldVersion, InputFile, Phase, TestSet
from sharedtask.competition.tracks import track_codes
from sharedtask.competition.treebanks import format_of
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.curves.models import TrainedSample, Training
from sharedtask.curves.series import tracks_with_trees
from sharedtask.software import quota
from sharedtask.software.availability import refuse_if_unavailable
from sharedtask.software.models import SystemVersion
from sharedtask.software.public_gold import WHY, with_public_gold
from sharedtask.software.request_execution import refuse_unusable
from sharedtask.teams.models import Team
from sharedtask.work import dispatch
from sharedtask.work.targets import CONTINUE_TRAINING

MAX_TRAINED = 100
"""Samples of a training, each of which is a container run."""


@dataclass(frozen=True, kw_only=True)
class TrainingData:
    """A test set with public gold, and its training file."""

    test_set: TestSet
    gold: GoldVersion
    file: InputFile

    @property
    def code(self) -> str:
        return self.test_set.code


def request_training(
    *,
    version: SystemVersion,
    phase: Phase,
    sizes: Sequence[int],
    samples: int,
    by: User | None,
    reason: str = "",
    at: datetime | None = None,
) -> Training:
    """With a `reason` by an organiser, on the team's behalf."""
    at = at or clock.database_now()
    refuse_if_unavailable()
    refuse_unusable(version)
    refuse_untrainable(version)
    data = training_data(phase, at=at)
    refuse_without_data(phase, data)
    refuse_impossible(data, sizes, samples)
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=version.system.team_id)
        refuse_second(team)
        if not reason:
            quota.refuse_beyond_experiments(team, at=at)
        training = Training.objects.create(
            version=version,
            phase=phase,
            track=track_with_trees(phase),
            sizes=list(sizes),
            samples=samples,
            sampling=phase.task.training_samples,
            seed=phase.task.seed,
            inputs={
                each.code: {"training": each.file.stored, "gold": each.gold.public_copy} for each in data
            },
            requested_by=by,
            on_behalf=bool(reason),
            requested_at=at,
        )
        TrainedSample.objects.bulk_create(
            TrainedSample(training=training, size=size, number=number)
            for size in sizes
            for number in range(1, samples + 1)
        )
        if reason:
            audit.write(
                task=phase.task,
                who=by,
                action="train-software",
                subject=training,
                reason=reasons.required(reason),
                details={"training": training.public_id, "phase": phase.code, "version": str(version)},
                at=at,
            )
        dispatch.enqueue(CONTINUE_TRAINING, training.public_id)
    return training


def training_data(phase: Phase, *, at: datetime) -> list[TrainingData]:
    """Of the test sets of a phase whose inputs and gold are public and that have training data."""
    test_sets = phase.test_sets.with_released_inputs(at=at).select_related("gold_in_force")
    return [
        TrainingData(test_set=test_set, gold=gold, file=file)
        for test_set in with_public_gold(test_sets.prefetch_related("inputs"), at=at)
        if (gold := test_set.gold_in_force)
        # A worker writes the public copy after the release.
        and gold.public_copy
        and (file := test_set.training_file)
        and test_set.given_input
    ]


def refuse_untrainable(version: SystemVersion) -> None:
    if not version.image.can_train:
        raise Refusal(
            "image-does-not-train",
            f"The image of version {version.number} does not declare that it can be trained.",
            expected="the label arboretum.train=yes",
        )


def refuse_without_data(phase: Phase, data: Sequence[TrainingData]) -> None:
    if not data:
        raise Refusal(
            "training-without-data",
            f"{phase.title} has no test set with both public gold and training data. {WHY}",
        )
    if format_of(phase.task, track_with_trees(phase)).columns != FORMATS["conllu"].columns:
        raise Refusal("training-in-other-format", "The server trains systems on CoNLL-U only.")


def refuse_impossible(data: Sequence[TrainingData], sizes: Sequence[int], samples: int) -> None:
    """Every test set needs enough sentences for the largest sample."""
    if len(sizes) * samples > MAX_TRAINED:
        raise Refusal(
            "too-many-samples",
            f"{len(sizes)} sizes with {samples} samples each are {len(sizes) * samples} samples.",
            expected=f"at most {MAX_TRAINED}",
        )
    for each in data:
        sentences = len(split_sentences(storage.read(each.file.stored)))
        try:
            check_samples(sizes, samples, code=each.code, sentences=sentences)
        except BadSeries as error:
            message = str(error)
            raise Refusal("not-a-series", f"{message[0].upper()}{message[1:]}.") from error


def refuse_second(team: Team) -> None:
    current = Training.objects.under_way().filter(version__system__team=team).first()
    if current is not None:
        raise Refusal(
            "training-under-way",
            f"The server is already training {current.version.system.name}. Please wait until it has ended, "
            "or stop it.",
        )


def track_with_trees(phase: Phase) -> str:
    """The first track whose files have trees; the empty code in a task without tracks."""
    return next(iter(tracks_with_trees(phase)), track_codes(phase)[0])
