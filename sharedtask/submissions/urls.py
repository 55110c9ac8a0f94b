"""URLs of runs: upload, the lines of a file, and moderation by organisers."""

from __future__ import annotations

from django.urls import path

from sharedtask.submissions import file_pages, moderation_pages, upload_page

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path(TASK + "upload/", upload_page.upload, name="upload"),
    path("runs/<slug:public_id>/files/<slug:code>/", file_pages.file_lines, name="run-lines"),
    path("runs/<slug:public_id>/files/<slug:code>.conllu", file_pages.download_output, name="run-output"),
    path(ORGANISE + "runs/", moderation_pages.runs, name="moderate-runs"),
    path(ORGANISE + "runs/<slug:public_id>/", moderation_pages.run, name="moderate-run"),
    path(ORGANISE + "runs/<slug:public_id>/combine/", moderation_pages.combine_runs, name="combine-runs"),
    path(ORGANISE + "runs/<slug:public_id>/<slug:act>/", moderation_pages.run_act, name="moderate-act"),
    path(ORGANISE + "messages/<slug:public_id>/", moderation_pages.release_message, name="release-message"),
    path(ORGANISE + "alarms/<slug:public_id>/<slug:act>/", moderation_pages.alarm_act, name="alarm-act"),
    path(ORGANISE + "teams/<slug:team_id>/upload/", upload_page.upload, name="upload-for-team"),
]
