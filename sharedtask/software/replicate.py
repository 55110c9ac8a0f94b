"""Replication: an organiser has an execution repeated, and a worker compares what was written.

In: an execution that repeats another one. Out: *replicated* if every output has the same bytes; *same score,
different bytes* if all counts of correct, gold and system words are equal; otherwise *differs*, and where.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

import evaluation
from evaluation.scoring.counts import tallies
from sharedtask.accounts.models import User
from sharedtask.competition import reasons
from sharedtask.competition.models import TestSet
from sharedtask.competition.treebanks import compare_files, read_file
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.software.availability import refuse_if_unavailable
from sharedtask.software.models import Execution
from sharedtask.software.request_execution import create_execution
from sharedtask.software.stop import write_audit_entry
from sharedtask.submissions.gold_cache import open_gold
from sharedtask.teams.models import Team

REPLICATED = "replicated"
SAME_SCORE = "same score, different bytes"
DIFFERS = "differs"


def request_replication(
    *, execution: Execution, by: User, reason: str, at: datetime | None = None
) -> Execution:
    """It has the image, inputs and limits of the first execution, and costs the team nothing."""
    reason = reasons.required(reason)
    refuse_if_unavailable()
    at = at or clock.database_now()
    if execution.state != Execution.State.DONE or not execution.outputs:
        raise Refusal("nothing-to-replicate", "Only an execution that has written outputs can be repeated.")
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=execution.team_id)
        again = create_execution(
            version=execution.version,
            phase=execution.phase,
            track=execution.track,
            team=team,
            instructions=execution.instructions,
            purpose=Execution.Purpose.REPLICATION,
            experiment=execution.experiment,
            part=execution.part,
            repeats=execution,
            requested_by=by,
            on_behalf=True,
            uses_quota=False,
            requested_at=at,
        )
        write_audit_entry("replicate-software", again, by, reason, at=at)
    return again


def compare(execution: Execution) -> dict[str, Any]:
    assert execution.repeats is not None
    before, now = execution.repeats.outputs, execution.outputs
    codes = sorted(before.keys() | now.keys())
    other_bytes = [code for code in codes if hash_of(before, code) != hash_of(now, code)]
    if not other_bytes:
        return {"verdict": REPLICATED, "other_bytes": [], "differs": []}
    test_sets = execution.task.test_sets.filter(code__in=other_bytes).select_related("gold_in_force")
    differs = [
        test_set.code
        for test_set in test_sets
        if counts_of(before.get(test_set.code), test_set, execution.track)
        != counts_of(now.get(test_set.code), test_set, execution.track)
    ]
    verdict = DIFFERS if differs else SAME_SCORE
    return {"verdict": verdict, "other_bytes": other_bytes, "differs": differs}


def hash_of(outputs: dict[str, Any], code: str) -> str:
    return str(outputs[code]["sha256"]) if code in outputs else ""


def counts_of(output: dict[str, Any] | None, test_set: TestSet, track: str) -> object:
    """Integer counts by metric; for a missing or invalid file, or a set without gold, the hash alone."""
    if output is None or test_set.gold_in_force is None:
        return output and output["sha256"]
    gold = open_gold(test_set.gold_in_force)
    with storage.local_copy(output["name"]) as path:
        try:
            system = read_file(test_set.task, path, track=track)
            comparison = compare_files(test_set.task, gold, system, track)
        except evaluation.InvalidFile as error:
            return f"invalid: {error}"
    return {
        name: (tally.gold, tally.system, tally.correct, tally.aligned)
        for name, tally in tallies(comparison).items()
    }
