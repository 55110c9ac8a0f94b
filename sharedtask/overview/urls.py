"""URLs of the pages that combine several apps."""

from __future__ import annotations

from django.urls import path, re_path

from sharedtask.overview import (
    docs_pages,
    home_pages,
    organiser_pages,
    preview_pages,
    run_page,
    team_pages,
    team_runs_page,
)
from sharedtask.overview.preview import BEGIN, END

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path("", home_pages.home, name="home"),
    path("docs/", docs_pages.index, name="docs"),
    path("docs/<slug:name>/", docs_pages.page, name="docs-page"),
    path(TASK, home_pages.task, name="task"),
    path(TASK + "team/", team_pages.team, name="team"),
    path(TASK + "team/runs/", team_runs_page.runs, name="team-runs"),
    path(TASK + "team/invite/", team_pages.invite, name="team-invite"),
    path(TASK + "systems/<slug:public_id>/primary/", team_pages.primary, name="system-primary"),
    path(TASK + "team/rules/", team_pages.rules, name="team-rules"),
    path("runs/<slug:public_id>/", run_page.run, name="run"),
    path("runs/<slug:public_id>/state/", run_page.run_state, name="run-state"),
    re_path(
        r"^runs/(?P<public_id>[-\w]+)/(?P<act>mark-official|unmark-official|withdraw|note|declare)/$",
        run_page.run_act,
        name="run-act",
    ),
    path(TASK + "systems/<slug:public_id>/withdraw/", team_pages.withdraw_system, name="system-withdraw"),
    path(ORGANISE, organiser_pages.overview, name="organiser-overview"),
    path(
        ORGANISE + "overview/runs/<slug:public_id>/retry/",
        organiser_pages.retry_run,
        name="overview-retry-run",
    ),
    path(
        ORGANISE + "overview/alarms/<slug:public_id>/resolve/",
        organiser_pages.resolve_alarm,
        name="overview-resolve",
    ),
    path(
        ORGANISE + "overview/alarms/<slug:public_id>/resolve-all/",
        organiser_pages.resolve_shared_alarm,
        name="overview-resolve-all",
    ),
    path(ORGANISE + "retry/", organiser_pages.retry_failed, name="retry-failed"),
    path(ORGANISE + "baselines/", organiser_pages.new_baseline, name="new-baseline"),
    path(ORGANISE + "quota/", organiser_pages.grant_many, name="grant-many"),
    path(ORGANISE + "confirm/", organiser_pages.confirm_many, name="confirm-many"),
    path(ORGANISE + "teams/<slug:team_id>/quota/", organiser_pages.grant, name="grant-quota"),
    path(TASK + "visibility/", preview_pages.table, name="visibility"),
    path(TASK + "preview/", preview_pages.preview_form, name="preview"),
    path(TASK + "preview/begin/", preview_pages.begin, name=BEGIN),
    path(TASK + "preview/end/", preview_pages.end, name=END),
]
