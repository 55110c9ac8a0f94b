"""Addresses of learning curves."""

from __future__ import annotations

from django.urls import path

from sharedtask.curves.comparison_pages import comparison, download_comparison
from sharedtask.curves.pages import curves, download, series
from sharedtask.curves.training import pages as training_pages

SERIES = "tasks/<slug:slug>/curves/<slug:system>/<slug:phase>/"

urlpatterns = [
    path("tasks/<slug:slug>/trainings/", training_pages.trainings, name="trainings"),
    path("tasks/<slug:slug>/trainings/new/", training_pages.train, name="train"),
    path("trainings/<slug:public_id>/", training_pages.training, name="training"),
    path("trainings/<slug:public_id>/state/", training_pages.training_state, name="training-state"),
    path("trainings/<slug:public_id>/<slug:act_name>/", training_pages.training_act, name="training-act"),
    path("tasks/<slug:slug>/curves/", curves, name="curves"),
    path("tasks/<slug:slug>/curves/compare/", comparison, name="series-comparison"),
    path(
        "tasks/<slug:slug>/curves/compare/<slug:name>.<slug:ending>",
        download_comparison,
        name="series-comparison-download",
    ),
    path(SERIES, series, name="series"),
    path(SERIES + "<slug:name>.<slug:ending>", download, name="series-download"),
]
