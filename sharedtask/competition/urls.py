"""URLs of a task's downloads, announcements, organisers and audit log."""

from __future__ import annotations

from django.urls import path

from sharedtask.competition.pages import about, announcements, audit, feed, organisers
from sharedtask.competition.pages.files import gold_file, gold_reference, input_file, inputs, raw_text

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path(TASK + "inputs/<slug:code>.txt", raw_text, name="raw-text"),
    path(TASK + "inputs.zip", inputs, name="inputs"),
    path(TASK + "inputs/<slug:code>/<slug:variant>/", input_file, name="input"),
    path(TASK + "gold/<slug:code>.conllu", gold_file, name="gold-file"),
    path(TASK + "gold/<slug:code>/<slug:name>.conllu", gold_reference, name="gold-reference"),
    path(TASK + "announcements/", announcements.announcements, name="announcements"),
    path(TASK + "announcements/feed.atom", feed.announcements_feed, name="announcements-feed"),
    path(TASK + "data/", about.data, name="data"),
    path(TASK + "faq/", about.faq, name="faq"),
    path(ORGANISE + "announce/", announcements.announce, name="announce"),
    path(ORGANISE + "organisers/", organisers.organisers, name="organisers"),
    path(ORGANISE + "log/", audit.audit, name="audit"),
]
