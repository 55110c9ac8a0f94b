from __future__ import annotations

from django.contrib import admin

from sharedtask.teams.models import Membership, Team


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ["name", "is_baseline"]
    inlines = [MembershipInline]
