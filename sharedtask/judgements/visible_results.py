"""The results of a campaign that a viewer may see.

In: a viewer and a campaign. Out: `VisibleResult`. Before gold of the test sets is released nothing in it
depends on gold, and nothing is about a single item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import groupby
from typing import Any

from evaluation.ranking.tables.table import Table
from sharedtask.accounts.roles import Viewer
from sharedtask.competition.models import TestSet
from sharedtask.judgements.campaign_access import may_see_items
from sharedtask.judgements.models import Campaign, CampaignResult, Item
from sharedtask.judgements.names import pair_names, run_names
from sharedtask.judgements.paper_tables import ALL, Decision, paper_tables
from sharedtask.judgements.tables import VisibleAnalysis, consistency_table, result_tables

WITHOUT_GOLD: Mapping[str, Any] = {
    "metrics": {},
    "performance": {},
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

    def aggregated(self, item: Item) -> dict[str, Any] | None:
        """What MACE infers for an item; None if it has not been analysed yet."""
        for analysis in self.analyses:
            mace = analysis.document["mace"]
            if analysis.pair == item.pair_id and str(item.number) in mace.get("choices", {}):
                return {
                    "choice": mace["choices"][str(item.number)],
                    "entropy": mace["entropy"][str(item.number)],
                    "is_undetermined": item.number in mace["undetermined"],
                }
        return None

    def neighbours(self, item: Item) -> tuple[int | None, int | None]:
        """The contradicted items before and after this one."""
        numbers = sorted(each.number for each in self.contradicted)
        before = [number for number in numbers if number < item.number]
        after = [number for number in numbers if number > item.number]
        return (before[-1] if before else None), (after[0] if after else None)

    def contradicted_by_test_set(self, scope: str) -> list[tuple[TestSet, list[Item]]]:
        """Of one test set, or of `all`."""
        chosen = [item for item in self.contradicted if scope in (ALL, item.test_set.code)]
        in_order = sorted(chosen, key=lambda item: (item.test_set.position, item.test_set.code))
        return [(test_set, list(items)) for test_set, items in groupby(in_order, lambda item: item.test_set)]

    @property
    def decisions(self) -> list[Decision]:
        systems = {analysis.pair: analysis.label[0] for analysis in self.analyses}
        return [
            Decision(systems=systems[item.pair_id], test_set=item.test_set.code, tags=item.decided_by)
            for item in self.contradicted
            if item.pair_id in systems
        ]

    def tables_of(self, scope: str | None = None) -> list[Table]:
        """With details of a test set, or of `all` together; None: of every one."""
        analyses = [each for each in self.analyses if scope in (None, each.test_set)]
        tables = result_tables(analyses) if analyses else []
        consistency = consistency_table(self.row.consistency if self.row else [])
        return [*tables, consistency] if consistency.rows else tables

    def paper_tables(self, scope: str = ALL) -> list[Table]:
        return paper_tables(self.analyses, scope, self.decisions) if self.analyses else []


def visible_result(viewer: Viewer, campaign: Campaign, *, at: datetime) -> VisibleResult:
    test_sets = {test_set.code: test_set for test_set in campaign.test_sets.select_related("gold_in_force")}
    names = run_names(viewer, campaign, at=at)
    pairs = {pair.pk: pair for pair in campaign.pairs.counting()}
    row = CampaignResult.objects.filter(campaign=campaign).first()
    analyses = []
    for stored in row.documents if row else []:
        if stored["pair"] not in pairs:
            continue
        first, second = pair_names(pairs[stored["pair"]], names)
        code = stored["test_set"] or ALL
        sets: Sequence[TestSet] = [test_sets[code]] if code in test_sets else list(test_sets.values())
        document = stored["document"]
        if not may_see_items(viewer, campaign, sets, at=at):
            document = without_items(document)
        analyses.append(
            VisibleAnalysis(pair=stored["pair"], first=first, second=second, test_set=code, document=document)
        )
    return VisibleResult(
        campaign=campaign,
        row=row,
        analyses=analyses,
        sees_items=may_see_items(viewer, campaign, list(test_sets.values()), at=at),
    )


def without_items(document: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing by item and nothing from gold."""
    mace = {"competence": document["mace"]["competence"]}
    sentences = document["sentences"] | {"mean_length": None, "mean_depth": None}
    return {**document, **WITHOUT_GOLD, "mace": mace, "sentences": sentences}
