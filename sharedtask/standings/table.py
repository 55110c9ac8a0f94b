"""What pages need to know of a standing besides its figures, small enough to be read for every request.

In: what went into a standing, and its arrays. Out: a dictionary: the runs in order, the test sets with groups
and languages, the rules, and the versions of gold. It repeats no figure: figures are in the arrays alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.ranking.details import Details
from evaluation.ranking.results import GoldSet
from sharedtask.competition.metrics import displayed_metrics, main_metrics
from sharedtask.standings.entries import Inputs
from sharedtask.standings.signature import gold_hashes
from sharedtask.standings.table_scopes import codes_by_scope
from sharedtask.submissions.models import Run
from sharedtask.submissions.models.run import RunQuerySet


def table_of(inputs: Inputs, figures: Details) -> dict[str, Any]:
    task = inputs.phase.task
    entries = {entry.run.public_id: entry for entry in inputs.entries}
    sets = sorted(gold_sets(inputs), key=lambda gold: gold.code)
    test_sets = [{"code": gold.code, "language": gold.language, "groups": list(gold.groups)} for gold in sets]
    return {
        "profile": task.profile,
        "profile_version": inputs.profile_version,
        "missing": task.missing_policy,
        "replicates": task.replicates,
        "test": task.significance_test,
        "metrics": main_metrics(task, inputs.track),
        "columns": displayed_metrics(task, inputs.track),
        "groups": [group for group in task.groups if group in figures.scopes],
        "rows": [
            {
                "run": system,
                "baseline": entries[system].run.team.is_baseline,
                "withdrawn": entries[system].is_withdrawn,
            }
            for system in figures.systems
        ],
        "test_sets": test_sets,
        "languages": {test_set.language_tag: test_set.language for test_set in inputs.test_sets},
        "gold": {
            test_set.code: inputs.gold[test_set.pk].number
            for test_set in inputs.test_sets
            if test_set.pk in inputs.gold
        },
        "gold_hashes": gold_hashes(sets, codes_by_scope({"test_sets": test_sets})),
        "failed": list(inputs.failed),
    }


def gold_sets(inputs: Inputs) -> tuple[GoldSet, ...]:
    return tuple(
        GoldSet(
            code=test_set.code,
            groups=tuple(test_set.groups),
            language=test_set.language_tag,
            sha256=inputs.sha256_of_gold(test_set),
        )
        for test_set in inputs.test_sets
    )


def runs_in(table: Mapping[str, Any]) -> RunQuerySet:
    ids = [row["run"] for row in table.get("rows", ())]
    return Run.objects.filter(public_id__in=ids).select_related("team", "system")
