from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from sharedtask.teams.models import System, Team


class SystemInline(admin.TabularInline):  # type: ignore[type-arg]
    """The primary system decides which run is official, so it can be set only when the team is created."""

    model = System
    fields = ["name", "is_primary"]
    extra = 0
    can_delete = False

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> list[str]:
        return ["is_primary"] if obj else []


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "task", "registration", "is_baseline"]
    list_filter = ["task"]
    inlines = [SystemInline]
