"""The navigation bar of a task, with the current page marked; a second bar for organisers.

In: the request and the task of the page. Out: entries for pages that this reader may open. The others are
left out, because a disabled entry would reveal that they exist. On a page of results the reader evidently
may see results, so no query is needed there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.coverage import coverage
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.standings import standing_access
from sharedtask.teams import team_access

register = template.Library()

TEST_SETS = "Test sets"
"""Available before any results."""
MAX_METRIC_LENGTH = 40
Pages = Mapping[str, tuple[str, frozenset[str]]]
"""By link text: the URL name of the link, and the URL names on which the entry is marked as current."""

RESULTS: Pages = {
    "Leaderboard": ("leaderboard", frozenset({"leaderboard"})),
    "Matrix": ("matrix", frozenset({"matrix"})),
    TEST_SETS: ("test-sets", frozenset({"test-sets", "test-set", "sentences", "sentence"})),
    "Systems": ("systems", frozenset({"systems"})),
    "Compare": ("compare", frozenset({"compare"})),
    "Tables": ("tables", frozenset({"tables"})),
}
PARENTS = {"system": "leaderboard", "run-of-others": "leaderboard"}
"""Pages for which the entry of another page is marked; they do not imply that results are visible."""

TASK = frozenset({"task", "announcements", "data", "faq"})
TEAM = frozenset(
    {"team", "team-new", "team-edit", "team-leave", "team-invite", "team-rules", "upload", "run", "run-lines"}
    | {"system-new", "system-edit"}
)
SETTINGS = frozenset(
    {"settings", "settings-texts", "settings-downloads", "settings-groups", "settings-release-times"}
    | {"settings-test-set", "settings-new-phase", "settings-phase", "settings-remove-phase"}
)
ORGANISE: Pages = {
    "Overview": ("cockpit", frozenset({"cockpit"})),
    "Runs": ("moderate-runs", frozenset({"moderate-runs", "moderate-run"})),
    "Teams": ("registrations", frozenset({"registrations", "registration-decide", "upload-for-team"})),
    "Calendar": ("calendar", frozenset({"calendar", "phase-times"})),
    "Settings": ("settings", SETTINGS),
    "Announce": ("announce", frozenset({"announce"})),
    "Gold": ("gold", frozenset({"gold", "gold-fix"})),
    "Publish": ("publish", frozenset({"publish"})),
    "Folder": ("folder", frozenset({"folder", "folder-job"})),
    "Organisers": ("organisers", frozenset({"organisers"})),
    "Audit log": ("audit", frozenset({"audit"})),
    "Visibility": ("visibility", frozenset({"visibility"})),
    "Preview": ("rehearsal", frozenset({"rehearsal"})),
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    words: str
    address: str
    is_here: bool


@register.inclusion_tag("competition/_task_nav.html", takes_context=True)
def task_nav(context: Mapping[str, Any], task: Task) -> dict[str, Any]:
    request: HttpRequest = context["request"]
    here = (request.resolver_match.url_name if request.resolver_match else "") or ""
    # A run of another team belongs to the results, an own run to the team.
    if here == "run" and not context.get("is_own"):
        here = "run-of-others"
    # The page is in place of results, so it does not imply that there are any for this reader.
    if context.get("without_results"):
        here = ""
    return {
        "task": task,
        "entries": list(entries(request, task, here, context.get("at"))),
        "organise": list(menu_entries(ORGANISE, task, here)) if contains_page(ORGANISE, here) else [],
    }


@register.inclusion_tag("competition/_coverage.html", takes_context=True)
def task_coverage(context: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """How much of the task is here; no query for a task that does not say how much there is."""
    if task.test_sets_in_all is None:
        return {"coverage": ""}
    at = context.get("at") or clock.database_now()
    number = task_access.test_sets(context["request"].user, task, at=at).count()
    return {"coverage": coverage(number, task.test_sets_in_all)}


def entries(request: HttpRequest, task: Task, here: str, at: datetime | None) -> Iterator[Entry]:
    yield Entry(words="Task", address=task.get_absolute_url(), is_here=here in TASK)
    sees = sees_results(request, task, here, at)
    for entry in menu_entries(RESULTS, task, PARENTS.get(here, here)):
        if sees or entry.words == TEST_SETS:
            yield replace(entry, address=entry.address + metric_query(request))
    words = "Your team" if team_access.team_of(request.user, task) else "Take part"
    yield Entry(words=words, address=reverse("team", args=[task.slug]), is_here=here in TEAM)
    if roles.organises(request.user, task):
        address = reverse("cockpit", args=[task.slug])
        yield Entry(words="Organise", address=address, is_here=contains_page(ORGANISE, here))


def metric_query(request: HttpRequest) -> str:
    """Readers who chose a metric keep it on the next page of results."""
    metric = request.GET.get("metric", "")[:MAX_METRIC_LENGTH]
    return f"?{urlencode({'metric': metric})}" if metric else ""


def menu_entries(pages: Pages, task: Task, here: str) -> Iterator[Entry]:
    for words, (name, names) in pages.items():
        if address := address_of(name, task):
            yield Entry(words=words, address=address, is_here=here in names)


def contains_page(pages: Pages, here: str) -> bool:
    return any(here in names for _, names in pages.values())


def sees_results(request: HttpRequest, task: Task, here: str, at: datetime | None) -> bool:
    if any(here in pages for words, (_, pages) in RESULTS.items() if words != TEST_SETS):
        return True
    at = at or clock.database_now()
    return standing_access.phases_with_standings(request.user, task, at=at).exists()


def address_of(name: str, task: Task) -> str:
    try:
        return reverse(name, args=[task.slug])
    except NoReverseMatch:
        return ""
