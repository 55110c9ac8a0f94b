"""The results of a campaign that a viewer may see.

In: a viewer and a campaign. Out: `VisibleResult`. Before gold of the test sets is released nothing in it
depends on gold, and nothing is about a single item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from evaluation.ranking.tables.table import Table
from sharedtask.accounts.roles import Viewer
from sharedtask.competition.models import TestSet
from sharedtask.judgements.campaign_access import may_see_items
from sharedtask.judgements.models import Campaign, CampaignResult, Item
from sharedtask.judgements.names import pair_names, run_names
from sharedtask.judgements.tables import VisibleAnalysis, decision_table, result_tables

ALL = "all"
WITHOUT_GOLD: Mapping[str, Any] = {
    "metrics": {},
    "between_metrics": {},
    "contradicted": [],
    "majority": {},
    "length_and_agreement": None,
    "without_metrics": 0,
}


@dataclass(frozen=True, kw_only=True)
class VisibleResult:
    campaign: Campaign
    row: CampaignResult | None
    analyses: Sequence[VisibleAnalysis]
    sees_items: bool

    @cached_property
    def contradicted(self) -> list[Item]:
        """Items on which most annotators contradict the main metric."""
        if not self.sees_items:
            return []
        numbers = {n for analysis in self.analyses for n in analysis.document["contradicted"]}
        rows = self.campaign.items.filter(number__in=numbers).select_related("test_set")
        return list(rows.defer("first_tree", "second_tree"))

    def tables_of(self, test_set: str | None = None) -> list[Table]:
        """Of one test set, or of `all` together; None: every row."""
        analyses = [each for each in self.analyses if test_set in (None, each.test_set)]
        tables = result_tables(analyses) if analyses else []
        tagged = [item for item in self.contradicted if item.decided_by]
        if tagged:
            counts = Counter(name for item in tagged for name in item.decided_by)
            tables.append(decision_table(counts, len(tagged)))
        return tables


def visible_result(viewer: Viewer, campaign: Campaign, *, at: datetime) -> VisibleResult:
    test_sets = {test_set.code: test_set for test_set in campaign.test_sets.select_related("gold_in_force")}
    names = run_names(viewer, campaign, at=at)
    pairs = {pair.pk: pair for pair in campaign.pairs.all()}
    row = CampaignResult.objects.filter(campaign=campaign).first()
    analyses = []
    for stored in row.analyses if row else []:
        if stored["pair"] not in pairs:
            continue
        first, second = pair_names(pairs[stored["pair"]], names)
        code = stored["test_set"] or ALL
        sets: Sequence[TestSet] = [test_sets[code]] if code in test_sets else list(test_sets.values())
        document = stored["document"]
        if not may_see_items(viewer, campaign, sets, at=at):
            document = without_items(document)
        analyses.append(VisibleAnalysis(first=first, second=second, test_set=code, document=document))
    return VisibleResult(
        campaign=campaign,
        row=row,
        analyses=analyses,
        sees_items=may_see_items(viewer, campaign, list(test_sets.values()), at=at),
    )


def without_items(document: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing by item and nothing from gold."""
    mace = {"competence": document["mace"]["competence"]}
    return {**document, **WITHOUT_GOLD, "mace": mace}
