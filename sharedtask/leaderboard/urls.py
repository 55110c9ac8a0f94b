"""Addresses of results: the leaderboard, one standing, and the organisers' page that publishes them."""

from __future__ import annotations

from django.urls import path

from sharedtask.leaderboard.views import leaderboard, publish, standing

urlpatterns = [
    path("tasks/<slug:slug>/leaderboard/", leaderboard, name="leaderboard"),
    path("tasks/<slug:slug>/publish/", publish, name="publish"),
    path("standings/<slug:public_id>.json", standing, name="standing"),
]
