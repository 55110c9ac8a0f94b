"""The navigation bar of a task, with the current page marked; a second bar for organisers.

In: the request and the task of the page. Out: entries for pages that this reader may open. The others are
left out, because a disabled entry would reveal that they exist. On a page of results the reader evidently
may see results, and the page of the task says so (`sees_results`); no query is needed there.
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

register = template.Library()

TEST_SETS = "Test sets"
"""Available before any results."""
CURVES = "Curves"
"""Its page exists without results, and says so."""
KEPT = ("track", "metric")
MAX_KEPT_LENGTH = 40
Pages = Mapping[str, tuple[str, frozenset[str]]]
"""By link text: the URL name of the link, and the URL names on which the entry is marked as current: also
those of the acts on a page, which show it again after a refusal."""

RESULTS: Pages = {
    "Leaderboard": ("leaderboard", frozenset({"leaderboard"})),
    "Matrix": ("matrix", frozenset({"matrix"})),
    TEST_SETS: ("test-sets", frozenset({"test-sets", "test-set", "sentences", "sentence"})),
    "Systems": ("systems", frozenset({"systems"})),
    "Compare": ("compare", frozenset({"compare"})),
    CURVES: ("curves", frozenset({"curves", "series", "series-comparison"})),
    "Tables": ("tables", frozenset({"tables"})),
}
EXPERIMENTS = (
    *("experiments", "start-experiment", "experiment", "change-experiment", "compare-experiments"),
    *("experiment-sentences", "experiment-sentence"),
)
PARENTS = {"system": "leaderboard", "run-of-others": "leaderboard"} | dict.fromkeys(EXPERIMENTS, "systems")
"""Pages for which the entry of another page is marked; they do not imply that results are visible."""

TASK = frozenset({"task", "announcements", "data", "faq"})
TRAININGS = frozenset({"trainings", "train", "training", "training-act"})
"""Of the own team, or of any team for organisers."""
TEAM = TRAININGS | frozenset(
    {"team", "team-new", "team-edit", "team-leave", "team-invite", "team-rules", "upload", "run", "run-lines"}
    | {"run-act", "system-new", "system-edit", "system-primary"}
    | {"software", "software-start", "execution", "execution-act"}
)
OVERVIEW = frozenset(
    {"organiser-overview", "new-baseline", "grant-quota", "grant-many", "confirm-many", "retry-failed"}
    | {"overview-retry-run", "overview-resolve", "overview-resolve-all"}
)
RUNS = frozenset(
    {"moderate-runs", "moderate-run", "moderate-act", "alarm-act", "release-message", "combine-runs"}
)
SETTINGS = frozenset(
    {"settings", "settings-texts", "settings-downloads", "settings-groups", "settings-release-times"}
    | {
        "settings-software",
        "settings-test-set",
        "settings-new-phase",
        "settings-phase",
        "settings-remove-phase",
    }
)
SOFTWARE = frozenset(
    {"organise-software", "grant-resources", "start-for-team", "earlier-system", "organise-execution"}
    | {"organise-training"}
)
CAMPAIGNS = frozenset(
    {"campaigns", "new-campaign", "campaign", "campaign-draw", "campaign-invite", "campaign-stage"}
    | {"campaign-annotator", "campaign-edit", "campaign-preview"}
)
PROFILE = frozenset({"profile", "profile-change", "put-profile-in-force", "scorer", "discard-scorer"})
ORGANISE: Pages = {
    "Overview": ("organiser-overview", OVERVIEW),
    "Runs": ("moderate-runs", RUNS),
    "Teams": ("registrations", frozenset({"registrations", "registration-decide", "upload-for-team"})),
    "Software": ("organise-software", SOFTWARE),
    "Calendar": ("calendar", frozenset({"calendar", "phase-times"})),
    "Settings": ("settings", SETTINGS),
    "Judgements": ("campaigns", CAMPAIGNS),
    "Announce": ("announce", frozenset({"announce"})),
    "Gold": ("gold", frozenset({"gold", "gold-fix", "correct-gold", "release-gold", "put-gold-in-force"})),
    "Profile": ("profile", PROFILE),
    "Publish": ("publish", frozenset({"publish"})),
    "Folder": ("folder", frozenset({"folder", "folder-job", "folder-export", "folder-agree"})),
    "Organisers": ("organisers", frozenset({"organisers"})),
    "Audit log": ("audit", frozenset({"audit"})),
    "Visibility": ("visibility", frozenset({"visibility"})),
    "Preview": ("preview", frozenset({"preview", "preview-begin"})),
}


@dataclass(frozen=True, kw_only=True)
class NavigationEntry:
    label: str
    address: str
    is_current: bool


@register.inclusion_tag("overview/_task_nav.html", takes_context=True)
def task_nav(context: Mapping[str, Any], task: Task) -> dict[str, Any]:
    request: HttpRequest = context["request"]
    current = (request.resolver_match.url_name if request.resolver_match else "") or ""
    if current == "execution" and not context.get("is_own"):
        current = "organise-execution"
    if current in TRAININGS and not context.get("is_own"):
        current = "organise-training"
    # A run of another team belongs to the results, an own run to the team.
    if current == "run" and not context.get("is_own"):
        current = "run-of-others"
    # The page is in place of results, so it does not imply that there are any for this viewer.
    if context.get("without_results"):
        current = ""
    return {
        "task": task,
        "entries": list(entries(context, request, task, current)),
        "organise": list(menu_entries(ORGANISE, task, current)) if contains_page(ORGANISE, current) else [],
    }


@register.inclusion_tag("overview/_coverage.html", takes_context=True)
def task_coverage(context: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """How much of the task is here. A page that lists its test sets passes their number as `test_set_count`.

    Elsewhere this takes one query, and none for a task that does not say how many test sets it has.
    """
    if task.test_sets_total is None:
        return {"coverage": ""}
    number: int | None = context.get("test_set_count")
    if number is None:
        at = context.get("at") or clock.database_now()
        number = task_access.test_sets(context["request"].user, task, at=at).count()
    return {"coverage": coverage(number, task.test_sets_total)}


def entries(
    context: Mapping[str, Any], request: HttpRequest, task: Task, current: str
) -> Iterator[NavigationEntry]:
    yield NavigationEntry(label="Task", address=task.get_absolute_url(), is_current=current in TASK)
    at: datetime | None = context.get("at")
    known: bool | None = context.get("sees_results")
    sees = sees_results(request, task, current, at) if known is None else known
    for entry in menu_entries(RESULTS, task, PARENTS.get(current, current)):
        if sees or entry.label == TEST_SETS:
            yield replace(entry, address=entry.address + kept_query(request))
    has_team = roles.team_id_of(request.user, task) is not None
    if has_team or not is_over(context, task):
        label = "Your team" if has_team else "Take part"
        address = reverse("team", args=[task.slug])
        yield NavigationEntry(label=label, address=address, is_current=current in TEAM)
    if roles.organises(request.user, task):
        address = reverse("organiser-overview", args=[task.slug])
        yield NavigationEntry(label="Organise", address=address, is_current=contains_page(ORGANISE, current))


def is_over(context: Mapping[str, Any], task: Task) -> bool:
    """No query on pages that have looked it up, as those for visitors have."""
    known: bool | None = context.get("is_over")
    if known is None:
        return task_access.is_over(task, at=context.get("at") or clock.database_now())
    return known


def kept_query(request: HttpRequest) -> str:
    """Readers who chose a track or a metric keep them on the next page of results."""
    kept = {name: request.GET[name][:MAX_KEPT_LENGTH] for name in KEPT if request.GET.get(name)}
    return f"?{urlencode(kept)}" if kept else ""


def menu_entries(pages: Pages, task: Task, current: str) -> Iterator[NavigationEntry]:
    for label, (name, names) in pages.items():
        if address := address_of(name, task):
            yield NavigationEntry(label=label, address=address, is_current=current in names)


def contains_page(pages: Pages, current: str) -> bool:
    return any(current in names for _, names in pages.values())


def sees_results(request: HttpRequest, task: Task, current: str, at: datetime | None) -> bool:
    if any(current in pages for label, (_, pages) in RESULTS.items() if label not in (TEST_SETS, CURVES)):
        return True
    at = at or clock.database_now()
    return standing_access.phases_with_standings(request.user, task, at=at).exists()


def address_of(name: str, task: Task) -> str:
    try:
        return reverse(name, args=[task.slug])
    except NoReverseMatch:
        return ""
