"""Inputs that are made from gold are for test sets whose gold is public, whoever asks.

In: the instructions of an execution, before it is created. Out: nothing, or a `Refusal`. An experiment gives
software gold tags, gold arcs as constraints, or sentences to train on, and its outputs may repeat all of it.
`visibility.table` decides; `create_execution` asks for every execution, so that no page, call of the API,
command, restart or replication can do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sharedtask.competition.models import Task, TestSet
from sharedtask.competition.task_access import facts_of_gold
from sharedtask.core.errors import Refusal
from sharedtask.software.models import Execution
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Role, Thing

WHY = (
    "The inputs of an experiment are made from gold, and what software writes can repeat its inputs. So "
    "experiments run only on test sets whose gold is public or released, whoever starts them."
)


def is_public(test_set: TestSet, *, at: datetime) -> bool:
    """Organisers may do most; what they may not do, nobody may."""
    facts = facts_of_gold(test_set.gold_in_force, at=at)
    return test_set.is_revealed(at=at) and allowed(Thing.GOLD_AS_INPUT, Role.ORGANISER, facts)


def with_public_gold(test_sets: Iterable[TestSet], *, at: datetime) -> list[TestSet]:
    """Those that an experiment may use; select `gold_in_force` with them."""
    return [test_set for test_set in test_sets if is_public(test_set, at=at)]


def refuse_secret_gold(task: Task, *, purpose: str, instructions: Mapping[str, Any], at: datetime) -> None:
    if purpose not in Execution.OF_EXPERIMENTS and not instructions.get("from_gold"):
        return
    codes = {entry["code"] for entry in instructions["test_sets"]}
    test_sets = task.test_sets.filter(code__in=codes).select_related("gold_in_force")
    public = {test_set.code for test_set in with_public_gold(test_sets, at=at)}
    if secret := sorted(codes - public):
        raise Refusal(
            "gold-not-public",
            f"The gold of {', '.join(secret)} is not public. {WHY}",
            found=f"{len(secret)} test sets with sealed gold",
            expected="test sets with public or released gold",
        )
