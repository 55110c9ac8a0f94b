"""Addresses of runs: uploading, the page of a run, and what organisers do with runs."""

from __future__ import annotations

from django.urls import path, re_path

from sharedtask.submissions import (
    cockpit_page,
    hand_again_page,
    lines_page,
    moderation_pages,
    run_page,
    upload_page,
)

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path(TASK + "upload/", upload_page.upload, name="upload"),
    path("runs/<slug:public_id>/", run_page.run, name="run"),
    path("runs/<slug:public_id>/state/", run_page.run_state, name="run-state"),
    path("runs/<slug:public_id>/files/<slug:code>/", lines_page.lines, name="run-lines"),
    path("runs/<slug:public_id>/files/<slug:code>.conllu", lines_page.output, name="run-output"),
    re_path(
        r"^runs/(?P<public_id>[-\w]+)/(?P<act>mark-official|unmark-official|withdraw)/$",
        run_page.run_act,
        name="run-act",
    ),
    path(TASK + "systems/<slug:public_id>/withdraw/", run_page.system_withdraw, name="system-withdraw"),
    path(ORGANISE, cockpit_page.cockpit, name="cockpit"),
    path(ORGANISE + "runs/", moderation_pages.runs, name="moderate-runs"),
    path(ORGANISE + "runs/<slug:public_id>/", moderation_pages.run, name="moderate-run"),
    path(ORGANISE + "runs/<slug:public_id>/<slug:act>/", moderation_pages.run_act, name="moderate-act"),
    path(ORGANISE + "messages/<slug:public_id>/", moderation_pages.release_message, name="release-message"),
    path(ORGANISE + "alarms/<slug:public_id>/<slug:act>/", moderation_pages.alarm_act, name="alarm-act"),
    path(ORGANISE + "hand-again/", hand_again_page.hand_again_all, name="hand-again"),
    path(ORGANISE + "combine/", moderation_pages.combine_runs, name="combine-runs"),
    path(ORGANISE + "baselines/", cockpit_page.new_baseline, name="new-baseline"),
    path(ORGANISE + "teams/<slug:team_id>/upload/", upload_page.upload, name="upload-for-team"),
    path(ORGANISE + "teams/<slug:team_id>/quota/", cockpit_page.grant, name="grant-quota"),
]
