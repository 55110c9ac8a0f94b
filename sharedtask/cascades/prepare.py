"""The inputs of an experiment: for each test set the plain input, and the constraints of every run.

In: an experiment. Out: files in storage, made from the public copy of gold. Running it twice writes the same
files again. They are under `inputs/`, which workers of the airlock may read, and are kept, so that every run
of an experiment can be replicated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import evaluation
from evaluation.cascades.constraints import constrained_words, write_constraints
from evaluation.cascades.outputs import PLAIN
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.core import storage
from sharedtask.software.instructions import ExperimentInput

FOLDER = "inputs/experiments"


def input_name(experiment: Experiment, code: str, run: str) -> str:
    return f"{FOLDER}/{experiment.public_id}/{code}.{run}.conllu"


def prepare(experiment: Experiment, sets: Sequence[ExperimentSet]) -> None:
    for each in sets:
        code, gold = each.test_set.code, read_gold(each)
        nothing = np.zeros(gold.words, dtype=bool)
        runs = {PLAIN: nothing} | dict(constrained_words(gold, experiment.error_classes))
        for run, words in runs.items():
            storage.store(input_name(experiment, code, run), [write_constraints(gold, words)])


def read_gold(each: ExperimentSet) -> evaluation.Treebank:
    with storage.local_copy(each.gold.public_copy) as path:
        return evaluation.read(path)


def inputs_of(experiment: Experiment, sets: Sequence[ExperimentSet], run: str) -> list[ExperimentInput]:
    """The plain run has no file of constraints; all runs have the same tokens and tags."""
    inputs = []
    for each in sets:
        code = each.test_set.code
        files = {"psegmor": input_name(experiment, code, PLAIN)}
        if run != PLAIN:
            files["constraints"] = input_name(experiment, code, run)
        inputs.append(ExperimentInput(test_set=each.test_set, files=files))
    return inputs
