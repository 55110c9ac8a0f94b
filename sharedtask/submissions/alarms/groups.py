"""Alarms of several teams about the same test set, as one: the test set is weak for everybody.

In: open alarms. Out: `AlarmGroup`s in the order of their latest alarms. An outlier that three teams share is
about the test set rather than about each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sharedtask.submissions.models import Alarm

MIN_TEAMS = 3


@dataclass(frozen=True, kw_only=True)
class AlarmGroup:
    alarms: Sequence[Alarm]

    @property
    def first(self) -> Alarm:
        return self.alarms[0]

    @property
    def is_about_test_set(self) -> bool:
        return len(self.alarms) > 1

    @property
    def code(self) -> str:
        """Of the test set that the alarms are about."""
        return self.first.file.test_set.code if self.first.file else ""

    @property
    def teams(self) -> list[str]:
        return sorted({alarm.run.team.name for alarm in self.alarms})


def group_alarms(alarms: Iterable[Alarm]) -> list[AlarmGroup]:
    """Outliers on one test set of one phase are one group if they concern enough teams."""
    alarms = list(alarms)
    by_set: dict[tuple[int, int], list[Alarm]] = {}
    for alarm in alarms:
        if alarm.kind == Alarm.Kind.OUTLIER and alarm.file is not None:
            by_set.setdefault((alarm.run.phase_id, alarm.file.test_set_id), []).append(alarm)
    shared = {
        key: of_set
        for key, of_set in by_set.items()
        if len({alarm.run.team_id for alarm in of_set}) >= MIN_TEAMS
    }
    grouped = {alarm.pk: key for key, of_set in shared.items() for alarm in of_set}
    groups: list[AlarmGroup] = []
    for alarm in alarms:
        if alarm.pk not in grouped:
            groups.append(AlarmGroup(alarms=[alarm]))
        elif (of_set := shared.pop(grouped[alarm.pk], None)) is not None:
            groups.append(AlarmGroup(alarms=of_set))
    return groups
