"""The figures of experiments that are done: over one test set or all of them, for one system or two.

In: experiments and a `Query`. Out: rows of `evaluation.cascades`, and its tables. Two systems are compared
over the sentences that both cover, on the test sets that both have with the same gold and the same classes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from evaluation.cascades.counts import ExperimentCounts, Selection
from evaluation.cascades.run_figures import RunFigures
from evaluation.cascades.tables import System, all_tables
from evaluation.ranking.tables.table import Table
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.core.cache import LRUCache

COUNTS: LRUCache[tuple[str, int], ExperimentCounts] = LRUCache(max_size=50)
"""By the public id of an experiment, which no other ever has, and the key of a test set. They are written
once, when an experiment is done."""

SELECTIONS: Mapping[str, str] = {
    "every": "sentences that the runs of all classes cover",
    "own": "sentences that the run itself covers",
}


@dataclass(frozen=True, kw_only=True)
class Query:
    code: str = ""
    """Of a test set; empty: all of them together."""
    selection: Selection = "every"
    punctuation: bool = False
    sort: str = ""

    @property
    def sentences(self) -> str:
        return f"{self.code or 'all test sets'}, {SELECTIONS[self.selection]}"

    @property
    def words(self) -> str:
        return "all words" if self.punctuation else "without punctuation"

    @property
    def about(self) -> str:
        return f"{self.sentences}, {self.words}"


def parse_query(values: Mapping[str, str], codes: Sequence[str]) -> Query:
    """What makes no sense is ignored."""
    code = values.get("set", "")
    return Query(
        code=code if code in codes else codes[0] if len(codes) == 1 else "",
        selection="own" if values.get("sentences") == "own" else "every",
        punctuation=values.get("punctuation") == "yes",
        sort=values.get("sort", ""),
    )


def counts_of(each: ExperimentSet) -> ExperimentCounts:
    def read() -> ExperimentCounts:
        stored = ExperimentSet.objects.values_list("counts", flat=True).get(pk=each.pk)
        return ExperimentCounts.from_bytes(bytes(stored))

    return COUNTS.get_or_make((each.experiment.public_id, each.test_set_id), read)


def rows_of(experiment: Experiment, query: Query) -> list[RunFigures]:
    """Summed over the chosen test sets."""
    chosen = [each for each in experiment.sets.all() if query.code in ("", each.test_set.code)]
    return total([counts_of(each).rows(query.selection, punctuation=query.punctuation) for each in chosen])


def compared_rows(
    pairs: Sequence[tuple[ExperimentSet, ExperimentSet]], query: Query
) -> list[list[RunFigures]]:
    """Of both systems, over the sentences that both cover."""
    chosen = [pair for pair in pairs if query.code in ("", pair[0].test_set.code)]
    return [
        total(
            [
                counts_of(pair[side]).rows(
                    query.selection, punctuation=query.punctuation, beside=counts_of(pair[1 - side])
                )
                for pair in chosen
            ]
        )
        for side in (0, 1)
    ]


def common_sets(first: Experiment, second: Experiment) -> list[tuple[ExperimentSet, ExperimentSet]]:
    if first.classes != second.classes:
        return []
    by_gold = {each.gold_id: each for each in second.sets.all()}
    return [(each, by_gold[each.gold_id]) for each in first.sets.all() if each.gold_id in by_gold]


def total(of_sets: Sequence[list[RunFigures]]) -> list[RunFigures]:
    return [reduce(add, of_run) for of_run in zip(*of_sets, strict=True)]


def tables_of(systems: Sequence[System], query: Query) -> list[Table]:
    return all_tables(systems, about=query.sentences, words=query.words)


def as_json(systems: Sequence[System], query: Query) -> str:
    """All counts and fractions."""
    document = {
        "about": query.about,
        "systems": [{"system": system, "runs": [row.as_dict() for row in rows]} for system, rows in systems],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
