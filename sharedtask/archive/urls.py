"""URLs of the data package."""

from __future__ import annotations

from django.urls import path

from sharedtask.archive.package.page import about, results, retry

urlpatterns = [
    path("tasks/<slug:slug>/results/", about, name="data-package"),
    path("tasks/<slug:slug>/results/retry/", retry, name="data-package-retry"),
    path("tasks/<slug:slug>/results.zip", results, name="results"),
]
