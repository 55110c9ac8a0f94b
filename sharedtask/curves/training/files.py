"""The files of a training: what every trained system parses, and the sample that each is trained on.

In: a training. Out: the inputs of an execution, stored. Systems get the tokens and tags of gold, which is
released, as the definition of learning curves says, and nothing else of it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from evaluation.cascades.constraints import write_constraints
from evaluation.curves.samples import Sampling, draw_sample, split_sentences
from sharedtask.competition.models import Task
from sharedtask.competition.treebanks import read_file
from sharedtask.core import storage
from sharedtask.curves.models import TrainedSample, Training
from sharedtask.software.instructions import ExperimentInput
from sharedtask.software.request_experiment import TRAIN

PARSED = "psegmor"
"""The variant with tokens and tags, as CoNLL 2017 called it."""


def prepare(training: Training) -> None:
    """Store once what all samples are parsed on."""
    if training.prepared:
        return
    training.prepared = {
        code: store(training, f"{code}.{PARSED}", tokens_and_tags(training.phase.task, files["gold"]))
        for code, files in training.inputs.items()
    }
    training.save(update_fields=["prepared"])


def tokens_and_tags(task: Task, gold: str) -> bytes:
    treebank = read_file(task, storage.read(gold))
    return write_constraints(treebank, np.zeros(treebank.words, dtype=bool))


def inputs_of(training: Training, sample: TrainedSample) -> list[ExperimentInput]:
    test_sets = training.phase.task.test_sets.filter(code__in=training.codes)
    return [
        ExperimentInput(
            test_set=test_set,
            files={
                PARSED: training.prepared[test_set.code],
                TRAIN: store(
                    training,
                    f"{test_set.code}.{sample.size}-{sample.number}",
                    sample_of(training, sample, test_set.code),
                ),
            },
        )
        for test_set in test_sets
    ]


def sample_of(training: Training, sample: TrainedSample, code: str) -> bytes:
    sentences = sentences_of(training.inputs[code]["training"])
    chosen = draw_sample(
        len(sentences),
        code=code,
        size=sample.size,
        number=sample.number,
        seed=training.seed,
        sampling=Sampling(training.sampling),
    )
    return b"".join(sentences[number] for number in chosen)


@lru_cache(maxsize=4)
def sentences_of(stored: str) -> tuple[bytes, ...]:
    """A name in storage never gets another content."""
    return tuple(split_sentences(storage.read(stored)))


def store(training: Training, file: str, content: bytes) -> str:
    """Where workers of the airlock may read. A request that is repeated writes the same file again."""
    name = f"inputs/trainings/{training.public_id}/{file}.conllu"
    storage.store(name, [content])
    return name
