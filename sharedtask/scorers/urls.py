"""Addresses of the organisers' own scorer."""

from __future__ import annotations

from django.urls import path

from sharedtask.scorers import pages

ORGANISE = "tasks/<slug:slug>/organise/"

urlpatterns = [
    path(ORGANISE + "scorer/", pages.scorer, name="scorer"),
    path(ORGANISE + "scorer/<int:number>/discard/", pages.discard, name="discard-scorer"),
]
