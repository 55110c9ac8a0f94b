from __future__ import annotations

from django.contrib import admin

from sharedtask.teams.models import System, Team


class SystemInline(admin.TabularInline):  # type: ignore[type-arg]
    model = System
    fields = ["name", "is_primary"]
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "task", "registration", "is_baseline"]
    list_filter = ["task"]
    inlines = [SystemInline]
