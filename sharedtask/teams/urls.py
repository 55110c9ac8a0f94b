"""URLs of teams, their systems, registrations, the calendar, accounts and notices."""

from __future__ import annotations

from django.urls import path

from sharedtask.teams.pages import account, calendar, notices, registrations, systems, teams

urlpatterns = [
    path("tasks/<slug:slug>/team/new/", teams.new, name="team-new"),
    path("tasks/<slug:slug>/team/edit/", teams.edit, name="team-edit"),
    path("tasks/<slug:slug>/team/revoke/<slug:public_id>/", teams.revoke, name="team-revoke"),
    path("tasks/<slug:slug>/team/leave/", teams.leave, name="team-leave"),
    path("tasks/<slug:slug>/team/request-again/", teams.request_again, name="team-request-again"),
    path("join/<str:token>/", teams.join, name="join"),
    path("tasks/<slug:slug>/systems/new/", systems.new, name="system-new"),
    path("tasks/<slug:slug>/systems/<slug:public_id>/edit/", systems.edit, name="system-edit"),
    path("tasks/<slug:slug>/organise/teams/", registrations.registrations, name="registrations"),
    path(
        "tasks/<slug:slug>/organise/teams/<slug:public_id>/", registrations.decide, name="registration-decide"
    ),
    path("tasks/<slug:slug>/organise/calendar/", calendar.calendar, name="calendar"),
    path("tasks/<slug:slug>/organise/calendar/<slug:code>/", calendar.phase_times, name="phase-times"),
    path("account/", account.overview, name="account"),
    path("account/delete/", account.delete, name="account-delete"),
    path("notices/", notices.notice_list, name="notices"),
    path("account/notices/", notices.notice_settings, name="notice-settings"),
]
