"""The organisers' list of all runs of a task: which of them, with what there is to know about each.

In: the task and the filters of the address. Out: a queryset, latest first, with the files counted by
verdict and the messages and alarms that wait. One query for a page, however many runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from sharedtask.competition.models import Task
from sharedtask.submissions.models import Alarm, Message, Run, RunFile


@dataclass(frozen=True, kw_only=True)
class Filters:
    phase: str = ""
    team: str = ""
    state: str = ""
    fate: str = ""
    waiting: str = ""
    """`messages`, `alarms` or `faults`: what an organiser still has to look at."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Filters:
        # A NUL, which no database takes, is in no name either.
        return cls(**{name: query.get(name, "").replace("\0", "") for name in cls.__dataclass_fields__})

    @property
    def query(self) -> str:
        return urlencode({name: value for name, value in asdict(self).items() if value})


def runs_to_moderate(task: Task, filters: Filters) -> QuerySet[Run]:
    runs = Run.objects.filter(task=task).select_related("team", "system", "phase", "amends")
    if filters.phase:
        runs = runs.filter(phase__code=filters.phase)
    if filters.team:
        runs = runs.filter(team__public_id=filters.team)
    if filters.state:
        runs = runs.filter(state=filters.state)
    if filters.fate:
        runs = runs.filter(fate=filters.fate)
    runs = runs.annotate(
        valid=counted(RunFile.objects.filter(state=RunFile.State.VALID)),
        invalid=counted(RunFile.objects.filter(state=RunFile.State.INVALID)),
        missing=counted(RunFile.objects.filter(state=RunFile.State.MISSING)),
        held=counted(Message.objects.filter(released_at=None)),
        open_alarms=counted(Alarm.objects.filter(settled_at=None)),
    )
    wanted = {
        "messages": Q(held__gt=0),
        "alarms": Q(open_alarms__gt=0),
        "faults": Q(invalid__gt=0) | Q(missing__gt=0),
    }
    if filters.waiting in wanted:
        runs = runs.filter(wanted[filters.waiting])
    return runs.order_by("-received_at", "-number")


def counted(rows: QuerySet[RunFile] | QuerySet[Message] | QuerySet[Alarm]) -> Coalesce:
    """A subquery for each number: joins of several tables would multiply each other's rows."""
    of_run = rows.filter(run=OuterRef("pk")).order_by().values("run").annotate(number=Count("pk"))
    return Coalesce(Subquery(of_run.values("number"), output_field=IntegerField()), 0)
