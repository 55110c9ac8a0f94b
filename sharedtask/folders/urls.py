"""URLs for importing and exporting task folders, and for editing a task in forms."""

from __future__ import annotations

from django.urls import path

from sharedtask.folders import guide, pages
from sharedtask.folders.editing import pages as editing

ORGANISE = "tasks/<slug:slug>/organise/"
SETTINGS = ORGANISE + "settings/"

urlpatterns = [
    path("task-folders/", guide.guide, name="task-folders"),
    path("task-folders/starter.zip", guide.starter, name="starter-folder"),
    path(ORGANISE + "folder/", pages.folder, name="folder"),
    path(ORGANISE + "folder/export/", pages.request_export, name="folder-export"),
    path(SETTINGS, editing.settings, name="settings"),
    path(SETTINGS + "texts/", editing.texts, name="settings-texts"),
    path(SETTINGS + "downloads/", editing.downloads, name="settings-downloads"),
    path(SETTINGS + "groups/", editing.groups, name="settings-groups"),
    path(SETTINGS + "software/", editing.software, name="settings-software"),
    path(SETTINGS + "release-times/", editing.release_times, name="settings-release-times"),
    path(SETTINGS + "test-sets/<slug:code>/", editing.test_set, name="settings-test-set"),
    path(SETTINGS + "new-phase/", editing.new_phase, name="settings-new-phase"),
    path(SETTINGS + "phases/<slug:code>/", editing.phase, name="settings-phase"),
    path(SETTINGS + "phases/<slug:code>/remove/", editing.remove_phase, name="settings-remove-phase"),
    path("organise/new/", pages.folder, name="new-task"),
    path("organise/folders/<slug:public_id>/", pages.job, name="folder-job"),
    path("organise/folders/<slug:public_id>/approve/", pages.approve, name="folder-approve"),
    path("organise/folders/<slug:public_id>/folder.zip", pages.download, name="folder-download"),
]
