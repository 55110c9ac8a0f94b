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

from evaluation.judgements.analyse import analyse
from evaluation.judgements.document import build_document
from evaluation.judgements.measures import Measures, join_measures
from evaluation.judgements.table import tabulate
from evaluation.scoring.profiles import PROFILES
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import TestSet
from sharedtask.core import clock
from sharedtask.judgements.measure_items import (
    WHOLE_TREES,
    SetMeasures,
    measure_items,
    released_gold,
)
from sharedtask.judgements.models import Assignment, Campaign, CampaignResult, Item, Pair
from sharedtask.judgements.progress import progress_of
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import ANALYSE_CAMPAIGN

FORMAT = 4
"""Results of another version of the software are computed again."""
ABOUT_METRICS = (
    "metrics",
    "between_metrics",
    "contradicted",
    "sentences",
    "performance",
    "length_and_agreement",
)
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
        for campaign in Campaign.objects.filter(pk__in=keys, drawn_at__isnull=False).select_related("task"):
            request_analysis(campaign)

    def discover(self, *, at: datetime) -> None:
        for campaign in Campaign.objects.filter(drawn_at__isnull=False).select_related("task"):
            request_analysis(campaign)

    def process(self, row: CampaignResult) -> None:
        inputs = inputs_of(row.campaign)
        CampaignResult.objects.filter(pk=row.pk).update(
            analyses=json.dumps(list(analyses_of(row.campaign)), ensure_ascii=False, allow_nan=False),
            consistency=consistency_of(row.campaign),
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
            analysed_inputs=row.inputs, problem="The analysis failed because of a server error."
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
    decided = Assignment.objects.filter(item__campaign=campaign, decided_at__isnull=False)
    state = decided.aggregate(number=Count("pk"), last=Max("decided_at"))
    excluded = campaign.annotators.filter(excluded_at__isnull=False).values_list("pk", flat=True)
    content = [
        FORMAT,
        campaign.task.verbs,
        main_metrics(campaign.task),
        campaign.content_tags,
        campaign.function_tags,
        state["number"],
        str(state["last"]),
        sorted(excluded),
        sorted(campaign.pairs.counting().values_list("pk", flat=True)),
        sorted(gold.pk for test_set in campaign.test_sets.all() if (gold := released_gold(test_set))),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def consistency_of(campaign: Campaign) -> list[dict[str, Any]]:
    """Of the annotators who count and have decided anything, by pseudonym. Gold plays no part in it."""
    return [
        {
            "annotator": row.annotator.pseudonym,
            "judged": row.judged,
            "skipped": row.skipped,
            "controls": row.controls,
            "controls_failed": row.controls_failed,
            "repeats": row.repeats,
            "repeats_changed": row.repeats_changed,
            "median_seconds": row.median_seconds,
        }
        for row in progress_of(campaign).annotators
        if row.annotator.excluded_at is None and (row.judged or row.skipped)
    ]


def analyses_of(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Documents of `evaluation`, each with the keys of its pair and test set (None: all of them)."""
    test_sets = list(campaign.test_sets.order_by("position", "code"))
    for pair in campaign.pairs.counting().select_related("first", "second"):
        judgements = list(judgements_of(pair))
        measured = {test_set.pk: measure_items(pair, test_set) for test_set in test_sets}
        judged_sets = [each for each in test_sets if any(j.test_set == each.pk for j in judgements)]
        scopes: list[TestSet | None] = [None, *(judged_sets if len(test_sets) > 1 else [])]
        for scope in scopes:
            chosen = [j for j in judgements if scope is None or j.test_set == scope.pk]
            if chosen:
                document = analyse_judgements(campaign, chosen, measured)
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
    values = rows.order_by("item__number", "annotator_id").values_list(
        "item__number", "item__test_set", "item__words", "annotator__pseudonym", "choice"
    )
    for number, test_set, words, annotator, choice in values:
        yield JudgedItem(
            number=number,
            test_set=test_set,
            words=words,
            annotator=annotator,
            choice=CHOICES.index(Assignment.Choice(choice)),
        )


def analyse_judgements(
    campaign: Campaign, judgements: Sequence[JudgedItem], measured: Mapping[int, SetMeasures]
) -> dict[str, Any]:
    """What is about people alone is over all judged items; metrics are compared on those that have them."""
    by_number = {judgement.number: judgement for judgement in judgements}
    table = tabulate([(j.number, j.annotator, j.choice) for j in judgements], ("first", "second"))
    items = [by_number[number] for number in table.items]
    groups = np.array([item.test_set for item in items], dtype=np.int64)
    words = Measures(lengths=np.array([item.words for item in items], dtype=np.int64))
    document = build_document(analyse(table, words, None, groups=groups, seed=campaign.seed))
    has_metrics = np.array([item.number in measured[item.test_set].row_of for item in items])
    if has_metrics.any():
        measures = in_item_order(
            [item for item, known in zip(items, has_metrics, strict=True) if known], measured
        )
        about_metrics = analyse(
            table.select(has_metrics),
            measures,
            main_metric(campaign, measures),
            groups=groups[has_metrics],
            seed=campaign.seed,
        )
        document |= {key: build_document(about_metrics)[key] for key in ABOUT_METRICS}
    return document | {"without_metrics": int((~has_metrics).sum()) if has_metrics.any() else 0}


def in_item_order(items: Sequence[JudgedItem], measured: Mapping[int, SetMeasures]) -> Measures:
    parts, places = [], []
    for test_set, measures in measured.items():
        own = [place for place, item in enumerate(items) if item.test_set == test_set]
        if own:
            parts.append(
                measures.measures.select(np.array([measures.row_of[items[place].number] for place in own]))
            )
            places.extend(own)
    return join_measures(parts).select(np.argsort(places))


def main_metric(campaign: Campaign, measures: Measures) -> str:
    """That of the task; one of whole trees where its own is not computed for single sentences."""
    candidates = [*main_metrics(campaign.task), *PROFILES[WHOLE_TREES].main]
    return next(name for name in candidates if name in measures.signs)
