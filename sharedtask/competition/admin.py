from __future__ import annotations

from django.contrib import admin

from sharedtask.competition.models import Task, TestSet


@admin.register(Task)
class TaskAdmin(admin.ModelAdmin):
    list_display = ["title", "slug", "profile", "blind"]


@admin.register(TestSet)
class TestSetAdmin(admin.ModelAdmin):
    list_display = ["code", "language", "task"]
    list_filter = ["task"]
