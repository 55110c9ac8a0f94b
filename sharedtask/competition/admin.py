from __future__ import annotations

from django.contrib import admin

from sharedtask.competition.models import Task, TestSet


@admin.register(Task)
class TaskAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["title", "slug", "profile", "blind"]


@admin.register(TestSet)
class TestSetAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["code", "language", "task"]
    list_filter = ["task"]
