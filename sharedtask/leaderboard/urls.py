"""Addresses of results: the leaderboard, standings, their publication, and what the figures mean."""

from __future__ import annotations

from django.urls import path

from sharedtask.leaderboard.views import definitions, leaderboard, publish, standing

urlpatterns = [
    path("tasks/<slug:slug>/leaderboard/", leaderboard, name="leaderboard"),
    path("tasks/<slug:slug>/publish/", publish, name="publish"),
    path("definitions/", definitions, name="definitions"),
    path("standings/<slug:public_id>.json", standing, name="standing"),
]
