"""The limits of a team's containers: those of the task, or what organisers have granted the team."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from airlock.engine import Limits
from sharedtask.competition.models import Task
from sharedtask.software.models import ResourceGrant
from sharedtask.teams.models import Team

MEBIBYTE = 2**20
MAX_LOG_BYTES = 16 * MEBIBYTE
NEAR = 0.9
"""The share of a limit from which it counts as near."""


def limits_of(team: Team) -> Limits:
    grant = team.resource_grants.first() or ResourceGrant()
    task: Task = team.task
    memory = (grant.memory_megabytes or task.software_memory_megabytes) * MEBIBYTE
    return Limits(
        cpus=float(grant.cpus or task.software_cpus),
        memory_bytes=memory,
        output_bytes=task.software_output_megabytes * MEBIBYTE,
        log_bytes=MAX_LOG_BYTES,
        # Files in /tmp are in memory too.
        tmp_bytes=memory // 2,
        wall_seconds=(grant.minutes or task.software_minutes) * 60,
    )


def as_json(limits: Limits) -> dict[str, Any]:
    return asdict(limits)
