"""A file of a run: its download for everybody who may see it, and its lines with errors for the team."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.archives.unpack import SUFFIX
from sharedtask.competition.pages.files import file_response
from sharedtask.core import clock, storage
from sharedtask.submissions import run_access
from sharedtask.submissions.excerpt import Incident, excerpt
from sharedtask.submissions.models import RunFile
from sharedtask.teams import team_access
from sharedtask.visibility.terms import Thing


@dataclass(frozen=True, kw_only=True)
class LineNavigation:
    """The current line among the lines of a file that have errors."""

    line: int
    lines_with_errors: Sequence[int]

    @property
    def previous(self) -> int | None:
        return max((line for line in self.lines_with_errors if line < self.line), default=None)

    @property
    def next(self) -> int | None:
        return min((line for line in self.lines_with_errors if line > self.line), default=None)

    @property
    def position(self) -> int:
        """From 1; 0 on a line without an error."""
        has_error = self.line in self.lines_with_errors
        return self.lines_with_errors.index(self.line) + 1 if has_error else 0


@require_safe
def download_output(request: HttpRequest, public_id: str, code: str) -> FileResponse:
    file = find_file(request, public_id, code)
    return file_response(file.output, f"{code}{SUFFIX}")


@require_safe
def file_lines(request: HttpRequest, public_id: str, code: str) -> HttpResponse:
    file = find_file(request, public_id, code, with_incidents=True)
    navigation = navigate(request.GET.get("line", ""), file.incidents)
    own = team_access.team_of(request.user, file.run.task)
    with storage.open_stream(file.output) as stream:
        lines = excerpt(stream, navigation.line, file.incidents)
    context = {
        "task": file.run.task,
        "run": file.run,
        "file": file,
        "navigation": navigation,
        "lines": lines,
        "without_line": [incident for incident in file.incidents if not incident["line"]],
        "is_own": own is not None and own.pk == file.run.team_id,
    }
    return render(request, "submissions/lines.html", context)


def navigate(requested: str, incidents: Sequence[Incident]) -> LineNavigation:
    """To the requested line, else the first line with an error, else line 1."""
    with_errors = sorted({incident["line"] for incident in incidents if incident["line"]})
    line = int(requested) if requested.isdecimal() and len(requested) < 10 else 0
    return LineNavigation(line=line or (with_errors[0] if with_errors else 1), lines_with_errors=with_errors)


def find_file(request: HttpRequest, public_id: str, code: str, *, with_incidents: bool = False) -> RunFile:
    """Incidents are visible only to the team and organisers, even if the file itself is public."""
    at = clock.database_now()
    related = ("run__task", "run__phase__task", "run__team", "run__system", "test_set__gold_in_force")
    files = RunFile.objects.select_related(*related).exclude(output="")
    file = get_object_or_404(files, run__public_id=public_id, test_set__code=code)
    permissions = run_access.run_permissions(request.user, file.run, at=at)
    gold = file.test_set.gold_in_force
    may_see_output = run_access.may_see(request.user, Thing.OUTPUT, file.run, at=at, gold=gold)
    if not permissions.exists or not may_see_output or (with_incidents and not permissions.incidents):
        raise Http404("no such file for this viewer")
    return file
