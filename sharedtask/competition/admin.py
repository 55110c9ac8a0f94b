from __future__ import annotations

from django.contrib import admin

from sharedtask.competition.models import Task


@admin.register(Task)
class TaskAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["title", "slug", "profile", "results_published_at"]
    # Publishing is an act with its own audit entry.
    readonly_fields = ["results_published_at"]
