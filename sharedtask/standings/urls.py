"""Addresses of standings, their publication, and corrections of gold."""

from __future__ import annotations

from django.urls import path

from sharedtask.standings import gold_pages, views

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path("standings/<slug:public_id>.json", views.standing, name="standing"),
    path(TASK + "publish/", views.publish, name="publish"),
    path(ORGANISE + "gold/", gold_pages.gold, name="gold"),
    path(ORGANISE + "gold/put-in-force/", gold_pages.put_in_force, name="put-gold-in-force"),
    path(ORGANISE + "gold/release/", gold_pages.release_gold, name="release-gold"),
    path(ORGANISE + "gold/corrections/<int:number>/", gold_pages.fix, name="gold-fix"),
]
