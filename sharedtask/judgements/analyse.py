"""Analysis of a campaign by workers, whenever its judgements or the release of gold have changed.

In: the key of a campaign. Out: its `CampaignResult`: for each pair of systems, over all its test sets and on
each of them, what people chose, how far they agree, and, where gold is released, how well every metric agrees
with them. Controls, repeats, excluded annotators and withdrawn systems do not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count, Max, QuerySet
from numpy.typing import NDArray

import evaluation
from evaluation.judgements.analyse import analyse
from evaluation.judgements.document import build_document
from evaluation.judgements.items import sentence_spans
from evaluation.judgements.measures import Signs, measure, profile_signs
from evaluation.judgements.table import tabulate
from evaluation.scoring.profiles import PROFILES
from sharedtask.competition.models import TestSet
from sharedtask.competition.treebanks import compare_files, read_file
from sharedtask.core import clock, storage
from sharedtask.judgements.models import Assignment, Campaign, CampaignResult, Item, Pair
from sharedtask.submissions.models import Run, RunFile
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import ANALYSE_CAMPAIGN

FORMAT = 1
"""Results of another version of the software are computed again."""
WHOLE_TREES = "plank15"
"""Its metrics are compared with people besides those of the task's own profile."""
ABOUT_METRICS = ("metrics", "between_metrics", "contradicted")
CHOICES = (Assignment.Choice.FIRST, Assignment.Choice.SECOND, Assignment.Choice.EQUAL)


class AnalyseCampaign(WorkKind[CampaignResult]):
    target = ANALYSE_CAMPAIGN
    stage = "judgements"
    key = "campaign_id"
    related = ("campaign__task",)
    retries = RetryPolicy(max_attempts=5, max_losses=3)

    def waiting(self) -> QuerySet[CampaignResult]:
        return CampaignResult.objects.waiting()

    def create_rows(self, keys: Sequence[Key]) -> None:
        for campaign in Campaign.objects.filter(pk__in=keys, drawn_at__isnull=False):
            request_analysis(campaign)

    def discover(self, *, at: datetime) -> None:
        for campaign in Campaign.objects.filter(drawn_at__isnull=False):
            request_analysis(campaign)

    def process(self, row: CampaignResult) -> None:
        inputs = inputs_of(row.campaign)
        CampaignResult.objects.filter(pk=row.pk).update(
            analyses=list(analyses_of(row.campaign)),
            inputs=inputs,
            analysed_inputs=inputs,
            problem="",
            analysed_at=clock.database_now(),
            attempts=0,
            losses=0,
            failure={},
            **released(),
        )

    def give_up(self, row: CampaignResult, failure: Failure) -> None:
        """New judgements start it again."""
        CampaignResult.objects.filter(pk=row.pk).update(
            analysed_inputs=row.inputs, problem="A server error prevents the analysis."
        )

    def log_fields(self, row: CampaignResult) -> dict[str, str]:
        return {"campaign": row.campaign.public_id}


def request_analysis(campaign: Campaign) -> None:
    """Make the campaign wait for a worker if anything has changed."""
    inputs = inputs_of(campaign)
    row, created = CampaignResult.objects.get_or_create(
        campaign=campaign, defaults={"inputs": inputs, "dispatched_at": None}
    )
    if not created and row.inputs != inputs:
        CampaignResult.objects.filter(pk=row.pk).update(
            inputs=inputs, dispatched_at=None, attempts=0, losses=0, failure={}
        )


def inputs_of(campaign: Campaign) -> str:
    judged = Assignment.objects.filter(item__campaign=campaign).judged()
    state = judged.aggregate(number=Count("pk"), last=Max("decided_at"))
    excluded = campaign.annotators.filter(excluded_at__isnull=False).values_list("pk", flat=True)
    content = [
        FORMAT,
        state["number"],
        str(state["last"]),
        sorted(excluded),
        sorted(campaign.pairs.counting().values_list("pk", flat=True)),
        sorted(gold.pk for test_set in campaign.test_sets.all() if (gold := released_gold(test_set))),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def released_gold(test_set: TestSet) -> Any:
    gold = test_set.gold_in_force
    return gold if gold is not None and gold.is_released and gold.public_copy else None


def analyses_of(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Documents of `evaluation`, each with the keys of its pair and test set (None: all of them)."""
    test_sets = list(campaign.test_sets.order_by("position", "code"))
    for pair in campaign.pairs.counting().select_related("first", "second"):
        judgements = list(judgements_of(pair))
        signs = {test_set.pk: item_signs(pair, test_set) for test_set in test_sets}
        scopes: list[TestSet | None] = [None, *(test_sets if len(test_sets) > 1 else [])]
        for scope in scopes:
            chosen = [j for j in judgements if scope is None or j.test_set == scope.pk]
            if chosen:
                document = analyse_judgements(campaign, chosen, signs)
                yield {"pair": pair.pk, "test_set": scope.code if scope else None, "document": document}


@dataclass(frozen=True, kw_only=True)
class JudgedItem:
    number: int
    test_set: int
    words: int
    annotator: str
    choice: int


def judgements_of(pair: Pair) -> Iterator[JudgedItem]:
    rows = Assignment.objects.filter(
        item__pair=pair, item__kind=Item.Kind.PAIR, annotator__excluded_at=None
    ).judged()
    for row in rows.select_related("item", "annotator").order_by("item__number", "annotator_id"):
        yield JudgedItem(
            number=row.item.number,
            test_set=row.item.test_set_id,
            words=row.item.words,
            annotator=row.annotator.pseudonym,
            choice=CHOICES.index(Assignment.Choice(row.choice)),
        )


def analyse_judgements(
    campaign: Campaign, judgements: Sequence[JudgedItem], signs: Mapping[int, Mapping[int, Mapping[str, int]]]
) -> dict[str, Any]:
    """What is about people alone is over all judged items; metrics are compared on those that have them."""
    by_number = {judgement.number: judgement for judgement in judgements}
    table = tabulate([(j.number, j.annotator, j.choice) for j in judgements], ("first", "second"))
    lengths = np.array([by_number[number].words for number in table.items], dtype=np.int64)
    document = build_document(analyse(table, {}, None, lengths, seed=campaign.seed))
    rows = [signs[by_number[number].test_set].get(number) for number in table.items]
    known = [row for row in rows if row is not None]
    if known:
        has_metrics = np.array([row is not None for row in rows])
        metrics: dict[str, Signs] = {
            name: np.array([row[name] for row in known], dtype=np.int8) for name in known[0]
        }
        main = PROFILES[campaign.task.profile].main[0]
        measured = analyse(table.select(has_metrics), metrics, main, lengths[has_metrics], seed=campaign.seed)
        document |= {key: build_document(measured)[key] for key in ABOUT_METRICS}
    return document | {"without_metrics": len(rows) - len(known) if known else 0}


def item_signs(pair: Pair, test_set: TestSet) -> dict[int, dict[str, int]]:
    """By the number of each item whose sentence is one of gold's: the sign of every metric."""
    version = released_gold(test_set)
    outputs = [output_of(run, test_set) for run in (pair.first, pair.second)]
    if version is None or None in outputs:
        return {}
    gold = read_file(test_set.task, storage.read(version.public_copy), name=test_set.code)
    systems = [read_output(name, test_set) for name in outputs if name]
    whole_trees = [evaluation.compare(gold, system, WHOLE_TREES) for system in systems]
    own = [compare_files(test_set.task, gold, system) for system in systems]
    signs: dict[str, NDArray[np.int8]] = dict(profile_signs(own[0], own[1]))
    for name, values in measure(whole_trees[0], whole_trees[1]).signs.items():
        is_another = name in signs and test_set.task.profile != WHOLE_TREES
        signs[f"{name} ({WHOLE_TREES})" if is_another else name] = values
    number_of = {span: number for number, span in enumerate(sentence_spans(own[0])[0])}
    items = pair.items.filter(test_set=test_set).values_list("number", "begin", "end")
    return {
        number: {name: int(values[number_of[begin, end]]) for name, values in signs.items()}
        for number, begin, end in items
        if (begin, end) in number_of
    }


def output_of(run: Run, test_set: TestSet) -> str | None:
    valid = RunFile.objects.filter(run=run, test_set=test_set, state=RunFile.State.VALID)
    return valid.exclude(output="").values_list("output", flat=True).first()


def read_output(name: str, test_set: TestSet) -> evaluation.Treebank:
    with storage.local_copy(name) as path:
        return read_file(test_set.task, path, name=test_set.code)
