"""URLs of result pages: leaderboard, matrix, systems, test sets, comparison, definitions of the metrics."""

from __future__ import annotations

from django.urls import path

from sharedtask.leaderboard.pages.comparison import compare
from sharedtask.leaderboard.pages.definitions import definitions
from sharedtask.leaderboard.pages.errors import errors_of_system, errors_of_systems, errors_on_test_set
from sharedtask.leaderboard.pages.leaderboard import download, leaderboard
from sharedtask.leaderboard.pages.matrix import matrix, matrix_csv
from sharedtask.leaderboard.pages.paper import bibtex, systems, table_download, tables
from sharedtask.leaderboard.pages.systems import system
from sharedtask.leaderboard.pages.test_sets import test_set, test_sets

urlpatterns = [
    path("tasks/<slug:slug>/leaderboard/", leaderboard, name="leaderboard"),
    path("tasks/<slug:slug>/leaderboard.<slug:ending>", download, name="leaderboard-download"),
    path("tasks/<slug:slug>/matrix/", matrix, name="matrix"),
    path("tasks/<slug:slug>/matrix.csv", matrix_csv, name="matrix-csv"),
    path("tasks/<slug:slug>/tables/", tables, name="tables"),
    path("tasks/<slug:slug>/tables/<slug:name>.<slug:ending>", table_download, name="table-download"),
    path("tasks/<slug:slug>/cite.bib", bibtex, name="bibtex"),
    path("tasks/<slug:slug>/sets/", test_sets, name="test-sets"),
    path("tasks/<slug:slug>/sets/<slug:code>/", test_set, name="test-set"),
    path("tasks/<slug:slug>/compare/", compare, name="compare"),
    path("tasks/<slug:slug>/systems/", systems, name="systems"),
    path("tasks/<slug:slug>/systems/<slug:public_id>/", system, name="system"),
    path(
        "tasks/<slug:slug>/systems/<slug:public_id>/errors.<slug:ending>",
        errors_of_system,
        name="system-errors",
    ),
    path(
        "tasks/<slug:slug>/sets/<slug:code>/errors.<slug:ending>", errors_on_test_set, name="test-set-errors"
    ),
    path("tasks/<slug:slug>/compare/errors.<slug:ending>", errors_of_systems, name="compare-errors"),
    path("definitions/", definitions, name="definitions"),
]
