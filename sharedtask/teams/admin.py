from __future__ import annotations

from django.contrib import admin

from sharedtask.teams.models import Membership, Team


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Membership
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["name", "is_baseline"]
    inlines = [MembershipInline]
