"""A file of a run: a download for whoever may have it, and for its team the lines around what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask.competition.views import file_response
from sharedtask.core import clock, storage
from sharedtask.submissions import run_access
from sharedtask.submissions.excerpt import Incident, excerpt
from sharedtask.submissions.models import RunFile
from sharedtask.submissions.unpack import SUFFIX
from sharedtask.teams import team_access
from sharedtask.visibility.terms import Thing


@dataclass(frozen=True, kw_only=True)
class Around:
    """Where the reader is among the faulty lines of a file."""

    line: int
    faulty: Sequence[int]

    @property
    def before(self) -> int | None:
        return max((one for one in self.faulty if one < self.line), default=None)

    @property
    def after(self) -> int | None:
        return min((one for one in self.faulty if one > self.line), default=None)

    @property
    def place(self) -> int:
        """Counts from 1; 0 on a line without a fault."""
        return self.faulty.index(self.line) + 1 if self.line in self.faulty else 0


@require_safe
def output(request: HttpRequest, public_id: str, code: str) -> FileResponse:
    file = file_of(request, public_id, code)
    return file_response(file.output, f"{code}{SUFFIX}")


@require_safe
def lines(request: HttpRequest, public_id: str, code: str) -> HttpResponse:
    file = file_of(request, public_id, code, quoted=True)
    around = around_line(request.GET.get("line", ""), file.incidents)
    own = team_access.team_of(request.user, file.run.task)
    with storage.open_stream(file.output) as stream:
        shown = excerpt(stream, around.line, file.incidents)
    context = {
        "task": file.run.task,
        "run": file.run,
        "file": file,
        "around": around,
        "lines": shown,
        "elsewhere": [incident for incident in file.incidents if not incident["line"]],
        "is_own": own is not None and own.pk == file.run.team_id,
    }
    return render(request, "submissions/lines.html", context)


def around_line(asked: str, incidents: Sequence[Incident]) -> Around:
    """The line of the address, else the first that is wrong, else the first of all."""
    faulty = sorted({incident["line"] for incident in incidents if incident["line"]})
    line = int(asked) if asked.isdecimal() and len(asked) < 10 else 0
    return Around(line=line or (faulty[0] if faulty else 1), faulty=faulty)


def file_of(request: HttpRequest, public_id: str, code: str, *, quoted: bool = False) -> RunFile:
    """`quoted` wants the incidents as well, which are the team's alone even where its files are public."""
    at = clock.database_now()
    related = ("run__task", "run__phase__task", "run__team", "run__system", "test_set__gold_in_force")
    found = RunFile.objects.select_related(*related).exclude(output="")
    file = get_object_or_404(found, run__public_id=public_id, test_set__code=code)
    sight = run_access.of_run(request.user, file.run, at=at)
    gold = file.test_set.gold_in_force
    may = run_access.run_thing(request.user, Thing.OUTPUT, file.run, at=at, gold=gold)
    if not sight.exists or not may or (quoted and not sight.incidents):
        raise Http404("no such file for this reader")
    return file
