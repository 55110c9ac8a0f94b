"""Addresses of what organisers do with a task as such, and of announcements, which everybody reads."""

from __future__ import annotations

from django.urls import path

from sharedtask.competition.pages import announcements, audit, calendar, folder, gold, organisers
from sharedtask.competition.views import gold_file, input_file, inputs

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path(TASK + "inputs.zip", inputs, name="inputs"),
    path(TASK + "inputs/<slug:code>/<slug:variant>/", input_file, name="input"),
    path(TASK + "gold/<slug:code>.conllu", gold_file, name="gold-file"),
    path(TASK + "announcements/", announcements.announcements, name="announcements"),
    path(ORGANISE + "announce/", announcements.announce, name="announce"),
    path(ORGANISE + "calendar/", calendar.calendar, name="calendar"),
    path(ORGANISE + "calendar/<slug:code>/", calendar.phase_times, name="phase-times"),
    path(ORGANISE + "gold/", gold.gold, name="gold"),
    path(ORGANISE + "gold/put-in-force/", gold.put_in_force, name="put-gold-in-force"),
    path(ORGANISE + "gold/release/", gold.release_gold, name="release-gold"),
    path(ORGANISE + "gold/corrections/<int:number>/", gold.fix, name="gold-fix"),
    path(ORGANISE + "organisers/", organisers.organisers, name="organisers"),
    path(ORGANISE + "log/", audit.audit, name="audit"),
    path(ORGANISE + "folder/", folder.folder, name="folder"),
    path(ORGANISE + "folder/export/", folder.ask_export, name="folder-export"),
    path("organise/new/", folder.folder, name="new-task"),
    path("organise/folders/<slug:public_id>/", folder.job, name="folder-job"),
    path("organise/folders/<slug:public_id>/agree/", folder.agree, name="folder-agree"),
    path("organise/folders/<slug:public_id>/folder.zip", folder.download, name="folder-download"),
]
