"""Addresses of standings, their publication, corrections of gold, and versions of the profile."""

from __future__ import annotations

from django.urls import path

from sharedtask.standings import pages
from sharedtask.standings.gold_fix import pages as gold_pages
from sharedtask.standings.gold_fix.upload_page import correct_gold
from sharedtask.standings.profile_change import pages as profile_pages

TASK = "tasks/<slug:slug>/"
ORGANISE = TASK + "organise/"

urlpatterns = [
    path("standings/<slug:public_id>.json", pages.standing, name="standing"),
    path(TASK + "publish/", pages.publish, name="publish"),
    path(ORGANISE + "gold/", gold_pages.gold, name="gold"),
    path(ORGANISE + "gold/correct/", correct_gold, name="correct-gold"),
    path(ORGANISE + "gold/put-in-force/", gold_pages.put_in_force, name="put-gold-in-force"),
    path(ORGANISE + "gold/release/", gold_pages.release_gold, name="release-gold"),
    path(ORGANISE + "gold/corrections/<int:number>/", gold_pages.fix, name="gold-fix"),
    path(ORGANISE + "profile/", profile_pages.profile, name="profile"),
    path(ORGANISE + "profile/put-in-force/", profile_pages.put_in_force, name="put-profile-in-force"),
    path(ORGANISE + "profile/changes/<int:number>/", profile_pages.change, name="profile-change"),
]
