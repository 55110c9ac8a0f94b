"""Addresses of standings, their publication, and corrections of gold."""

from __future__ import annotations

from django.urls import path

from sharedtask.standings import views
from sharedtask.standings.gold_fix import pages
from sharedtask.standings.gold_fix.upload_page import correct_gold

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path("standings/<slug:public_id>.json", views.standing, name="standing"),
    path(TASK + "publish/", views.publish, name="publish"),
    path(ORGANISE + "gold/", pages.gold, name="gold"),
    path(ORGANISE + "gold/correct/", correct_gold, name="correct-gold"),
    path(ORGANISE + "gold/put-in-force/", pages.put_in_force, name="put-gold-in-force"),
    path(ORGANISE + "gold/release/", pages.release_gold, name="release-gold"),
    path(ORGANISE + "gold/corrections/<int:number>/", pages.fix, name="gold-fix"),
]
