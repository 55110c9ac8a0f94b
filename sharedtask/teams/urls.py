"""Addresses of teams, their systems and what people are told."""

from __future__ import annotations

from django.urls import path

from sharedtask.leaderboard.pages.systems import system
from sharedtask.teams.views import notices, registrations, runs, systems, teams

urlpatterns = [
    path("tasks/<slug:slug>/team/", teams.team, name="team"),
    path("tasks/<slug:slug>/team/runs/", runs.runs, name="team-runs"),
    path("tasks/<slug:slug>/team/new/", teams.new, name="team-new"),
    path("tasks/<slug:slug>/team/invite/", teams.invite, name="team-invite"),
    path("tasks/<slug:slug>/team/revoke/<slug:public_id>/", teams.revoke, name="team-revoke"),
    path("tasks/<slug:slug>/team/leave/", teams.leave, name="team-leave"),
    path("tasks/<slug:slug>/team/rules/", teams.rules, name="team-rules"),
    path("tasks/<slug:slug>/team/ask-again/", teams.ask_again, name="team-ask-again"),
    path("join/<str:token>/", teams.join, name="join"),
    path("tasks/<slug:slug>/systems/new/", systems.new, name="system-new"),
    path("tasks/<slug:slug>/systems/<slug:public_id>/", system, name="system"),
    path("tasks/<slug:slug>/systems/<slug:public_id>/edit/", systems.edit, name="system-edit"),
    path("tasks/<slug:slug>/systems/<slug:public_id>/primary/", systems.primary, name="system-primary"),
    path("tasks/<slug:slug>/organise/teams/", registrations.registrations, name="registrations"),
    path(
        "tasks/<slug:slug>/organise/teams/<slug:public_id>/", registrations.decide, name="registration-decide"
    ),
    path("notices/", notices.listed, name="notices"),
    path("account/notices/", notices.choices, name="notice-choices"),
]
