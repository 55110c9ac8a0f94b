"""Every metric on the sentences of a test set, for the outputs of a pair of systems.

In: a pair and a test set. Out: `SetMeasures`; empty unless gold is released. Metrics are those of the task's
own profile and those of `plank15`, which look at whole trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import evaluation
from evaluation.judgements.items import sentence_spans
from evaluation.judgements.measures import (
    CONTENT,
    FUNCTION,
    Measures,
    measure,
    profile_tallies,
    tallies_count,
    tally_signs,
)
from evaluation.scoring.profiles import PROFILES
from sharedtask.competition.models import GoldVersion, Task, TestSet
from sharedtask.competition.treebanks import compare_files, read_file
from sharedtask.core import storage
from sharedtask.judgements.models import Campaign, Pair
from sharedtask.submissions.models import Run, RunFile

WHOLE_TREES = "plank15"


@dataclass(frozen=True, kw_only=True)
class SetMeasures:
    measures: Measures = field(default_factory=lambda: Measures(lengths=np.zeros(0, np.int64)))
    """Over the sentences of gold."""
    row_of: Mapping[int, int] = field(default_factory=dict)
    """The sentence of each item, by its number; none for an item that is not a sentence of gold."""


def measure_items(pair: Pair, test_set: TestSet) -> SetMeasures:
    version = released_gold(test_set)
    systems = [read_output(run, test_set) for run in (pair.first, pair.second)]
    if version is None or systems[0] is None or systems[1] is None:
        return SetMeasures()
    task = test_set.task
    gold = read_file(task, storage.read(version.public_copy), name=test_set.code)
    own = [compare_files(task, gold, system) for system in systems if system]
    row_of_span = {span: row for row, span in enumerate(sentence_spans(own[0])[0])}
    items = pair.items.filter(test_set=test_set).values_list("number", "begin", "end")
    return SetMeasures(
        measures=add_own_metrics(task, own, whole_trees(pair.campaign, gold, [s for s in systems if s])),
        row_of={
            number: row_of_span[begin, end] for number, begin, end in items if (begin, end) in row_of_span
        },
    )


def whole_trees(
    campaign: Campaign, gold: evaluation.Treebank, systems: Sequence[evaluation.Treebank]
) -> Measures:
    usual = PROFILES[WHOLE_TREES].options
    options = replace(usual, verbs=tuple(campaign.task.verbs)) if campaign.task.verbs else usual
    first, second = (evaluation.compare(gold, system, WHOLE_TREES, options=options) for system in systems)
    return measure(
        first,
        second,
        content=campaign.content_tags or CONTENT,
        function=campaign.function_tags or FUNCTION,
    )


def add_own_metrics(task: Task, own: Sequence[evaluation.Comparison], measures: Measures) -> Measures:
    """A metric of `plank15` whose name the task's profile uses for its own says where it comes from."""
    if task.profile == WHOLE_TREES:
        return measures
    tallies = profile_tallies(own[0], own[1])

    def name_of(name: str) -> str:
        return f"{name} ({WHOLE_TREES})" if name in tallies else name

    return replace(
        measures,
        signs=tally_signs(tallies) | {name_of(name): signs for name, signs in measures.signs.items()},
        counts_something=tallies_count(tallies)
        | {name_of(name): flags for name, flags in measures.counts_something.items()},
        tallies=tallies | {name_of(name): counts for name, counts in measures.tallies.items()},
    )


def released_gold(test_set: TestSet) -> GoldVersion | None:
    gold = test_set.gold_in_force
    return gold if gold is not None and gold.is_released and gold.public_copy else None


def read_output(run: Run, test_set: TestSet) -> evaluation.Treebank | None:
    """None without a valid output."""
    valid = RunFile.objects.filter(run=run, test_set=test_set, state=RunFile.State.VALID)
    name = valid.exclude(output="").values_list("output", flat=True).first()
    if name is None:
        return None
    with storage.local_copy(name) as path:
        return read_file(test_set.task, path, name=test_set.code)
