"""The organisers' list of all runs of a task, filtered and annotated.

In: the task and the filters from the query string. Out: a queryset, latest first, with the number of files
per verdict, of unreleased messages and of open alarms. One query per page, however many runs there are.
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
class RunFilters:
    phase: str = ""
    team: str = ""
    state: str = ""
    status: str = ""
    waiting: str = ""
    """`messages`, `alarms` or `errors`: what an organiser still has to look at."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> RunFilters:
        # PostgreSQL rejects a NUL character in a parameter.
        return cls(**{name: query.get(name, "").replace("\0", "") for name in cls.__dataclass_fields__})

    @property
    def query(self) -> str:
        return urlencode({name: value for name, value in asdict(self).items() if value})


def runs_to_moderate(task: Task, filters: RunFilters) -> QuerySet[Run]:
    runs = Run.objects.filter(task=task).select_related("team", "system", "phase", "amends")
    if filters.phase:
        runs = runs.filter(phase__code=filters.phase)
    if filters.team:
        runs = runs.filter(team__public_id=filters.team)
    if filters.state:
        runs = runs.filter(state=filters.state)
    if filters.status:
        runs = runs.filter(status=filters.status)
    runs = runs.annotate(
        valid=count_per_run(RunFile.objects.filter(state=RunFile.State.VALID)),
        invalid=count_per_run(RunFile.objects.filter(state=RunFile.State.INVALID)),
        missing=count_per_run(RunFile.objects.filter(state=RunFile.State.MISSING)),
        held=count_per_run(Message.objects.filter(released_at=None)),
        open_alarms=count_per_run(Alarm.objects.filter(resolved_at=None)),
    )
    conditions = {
        "messages": Q(held__gt=0),
        "alarms": Q(open_alarms__gt=0),
        "errors": Q(invalid__gt=0) | Q(missing__gt=0),
    }
    if filters.waiting in conditions:
        runs = runs.filter(conditions[filters.waiting])
    return runs.order_by("-received_at", "-number")


def count_per_run(rows: QuerySet[RunFile] | QuerySet[Message] | QuerySet[Alarm]) -> Coalesce:
    """A subquery for each number: joining several tables would multiply their rows."""
    numbers = rows.filter(run=OuterRef("pk")).order_by().values("run").annotate(number=Count("pk"))
    return Coalesce(Subquery(numbers.values("number"), output_field=IntegerField()), 0)
