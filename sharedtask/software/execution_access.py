"""What a viewer may see of an execution. This module gathers the facts; `visibility.table` decides."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sharedtask.accounts.roles import Viewer, previews_another_task, role_of
from sharedtask.software.models import Execution
from sharedtask.submissions.run_access import least_released
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, NoteState, Role, SetState, Thing


@dataclass(frozen=True, kw_only=True)
class ExecutionPermissions:
    state: bool
    figures: bool
    log: bool
    released_log: bool
    outputs: bool


def input_state(execution: Execution, *, at: datetime) -> SetState:
    """Of the most secret input that its containers could read."""
    codes = set(execution.codes) | set(execution.amends.produced if execution.amends else ())
    # Pages with many executions have prefetched the test sets.
    test_sets = execution.task.test_sets.all()
    return least_released([test_set for test_set in test_sets if test_set.code in codes], at=at)


def is_blind(execution: Execution, *, at: datetime) -> bool:
    return input_state(execution, at=at) != SetState.RELEASED


def facts_of_execution(execution: Execution, *, at: datetime) -> Facts:
    released = execution.log_released_at is not None and execution.log_released_at <= at
    return Facts(set=input_state(execution, at=at), note=NoteState.RELEASED if released else NoteState.HELD)


def execution_permissions(
    viewer: Viewer, execution: Execution, *, at: datetime, role: Role | None = None
) -> ExecutionPermissions:
    """For many executions of one team or task, the caller determines the `role` once and passes it."""
    facts = facts_of_execution(execution, at=at)
    role = role or role_of(viewer, execution.task, execution.team)
    elsewhere = previews_another_task(viewer, execution.task)

    def may(thing: Thing) -> bool:
        return not elsewhere and allowed(thing, role, facts)

    return ExecutionPermissions(
        state=may(Thing.CONTAINER_STATE),
        figures=may(Thing.CONTAINER_FIGURES),
        log=may(Thing.CONTAINER_LOG),
        released_log=may(Thing.RELEASED_LOG),
        outputs=may(Thing.CONTAINER_OUTPUT),
    )
