"""Addresses of the two pages about visibility; included below a task's own address."""

from __future__ import annotations

from django.urls import path

from sharedtask.visibility import views
from sharedtask.visibility.rehearsal import BEGIN, END

urlpatterns = [
    path("tasks/<slug:slug>/visibility/", views.table, name="visibility"),
    path("tasks/<slug:slug>/rehearsal/", views.rehearse, name="rehearsal"),
    path("tasks/<slug:slug>/rehearsal/begin/", views.begin, name=BEGIN),
    path("tasks/<slug:slug>/rehearsal/end/", views.end, name=END),
]
