"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from sharedtask.competition.views import home, raw_text, task
from sharedtask.leaderboard.views import leaderboard, metrics
from sharedtask.submissions.views import run, run_state, upload

urlpatterns = [
    path("", home, name="home"),
    path("tasks/<slug:slug>/", task, name="task"),
    path("tasks/<slug:slug>/inputs/<slug:code>.txt", raw_text, name="raw-text"),
    path("tasks/<slug:slug>/leaderboard/", leaderboard, name="leaderboard"),
    path("tasks/<slug:slug>/upload/", upload, name="upload"),
    path("metrics/", metrics, name="metrics"),
    path("runs/<slug:public_id>/", run, name="run"),
    path("runs/<slug:public_id>/state/", run_state, name="run-state"),
    path(
        "sign-in/",
        LoginView.as_view(template_name="sign_in.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
]
