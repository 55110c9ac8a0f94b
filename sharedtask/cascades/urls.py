"""Addresses of experiments with constraints."""

from __future__ import annotations

from django.urls import path, re_path

from sharedtask.cascades.pages import experiment, experiments, sentences

ALL = "tasks/<slug:slug>/cascades/"
ONE = f"{ALL}<slug:public_id>/"

urlpatterns = [
    path(ALL, experiments.experiments, name="experiments"),
    path(f"{ALL}start/", experiments.start, name="start-experiment"),
    path(ONE, experiment.experiment, name="experiment"),
    path(f"{ONE}state/", experiment.state, name="experiment-state"),
    re_path(
        r"^tasks/(?P<slug>[-\w]+)/cascades/(?P<public_id>[-\w]+)/(?P<verb>stop|resume|publish)/$",
        experiment.change,
        name="change-experiment",
    ),
    path(f"{ONE}with/<slug:other>/", experiment.comparison, name="compare-experiments"),
    path(f"{ONE}<slug:name>.<slug:ending>", experiment.download, name="experiment-download"),
    path(
        f"{ONE}with/<slug:other>/<slug:name>.<slug:ending>",
        experiment.download,
        name="compared-experiments-download",
    ),
    path(f"{ONE}sentences/<slug:code>/<slug:run>/", sentences.sentences, name="experiment-sentences"),
    path(
        f"{ONE}sentences/<slug:code>/<slug:run>/<int:number>/",
        sentences.sentence,
        name="experiment-sentence",
    ),
]
