"""URLs for importing and exporting task folders."""

from __future__ import annotations

from django.urls import path

from sharedtask.folders import guide, pages

ORGANISE = "tasks/<slug:slug>/organise/"

urlpatterns = [
    path("task-folders/", guide.guide, name="task-folders"),
    path("task-folders/starter.zip", guide.starter, name="starter-folder"),
    path(ORGANISE + "folder/", pages.folder, name="folder"),
    path(ORGANISE + "folder/export/", pages.request_export, name="folder-export"),
    path("organise/new/", pages.folder, name="new-task"),
    path("organise/folders/<slug:public_id>/", pages.job, name="folder-job"),
    path("organise/folders/<slug:public_id>/approve/", pages.approve, name="folder-approve"),
    path("organise/folders/<slug:public_id>/folder.zip", pages.download, name="folder-download"),
]
