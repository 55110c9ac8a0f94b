"""What an organiser has not put in force yet: corrected versions of gold, or a new version of the profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sharedtask.competition.metrics import can_compute, pending_version
from sharedtask.competition.models import GoldVersion, Task


@dataclass(frozen=True, kw_only=True)
class Versions:
    """What standings are computed with: by default the versions in force."""

    gold: Mapping[int, GoldVersion] = field(default_factory=dict)
    """By the key of the test set; those of other test sets are the ones in force."""
    profile: str | None = None


def pending_versions(task: Task) -> list[Versions]:
    """What would be in force after each of the decisions that an organiser has to make, as far as it can be
    computed: with the version of the profile that is installed."""
    pending = []
    gold = {version.test_set_id: version for version in pending_corrections(task)}
    if gold and can_compute(task):
        pending.append(Versions(gold=gold))
    profile = pending_version(task)
    if profile is not None:
        pending.append(Versions(profile=profile))
    return pending


def pending_corrections(task: Task) -> list[GoldVersion]:
    """The newest version of each test set whose newest version is not in force."""
    newest: dict[int, GoldVersion] = {}
    versions = GoldVersion.objects.filter(test_set__task=task, test_set__gold_in_force__isnull=False)
    for version in versions.select_related("test_set__gold_in_force").order_by(
        "test_set__position", "number"
    ):
        newest[version.test_set_id] = version
    return [
        version
        for version in newest.values()
        if version.test_set.gold_in_force and version.number > version.test_set.gold_in_force.number
    ]
