"""Addresses of standings, their publication, corrections of gold, and versions of the profile."""

from __future__ import annotations

from django.urls import path

from sharedtask.standings import views
from sharedtask.standings.gold_fix import pages
from sharedtask.standings.gold_fix.upload_page import correct_gold
from sharedtask.standings.profile_change import pages as profile_pages

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
    path(ORGANISE + "profile/", profile_pages.profile, name="profile"),
    path(ORGANISE + "profile/put-in-force/", profile_pages.put_in_force, name="put-profile-in-force"),
    path(ORGANISE + "profile/changes/<int:number>/", profile_pages.change, name="profile-change"),
]
