"""Addresses of learning curves."""

from __future__ import annotations

from django.urls import path

from sharedtask.curves.pages import curves, download, series

SERIES = "tasks/<slug:slug>/curves/<slug:system>/<slug:phase>/"

urlpatterns = [
    path("tasks/<slug:slug>/curves/", curves, name="curves"),
    path(SERIES, series, name="series"),
    path(SERIES + "<slug:name>.<slug:ending>", download, name="series-download"),
]
