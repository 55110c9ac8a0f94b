from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from sharedtask.submissions.models import Run


@admin.register(Run)
class RunAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read-only: workers change the states."""

    list_display = ["public_id", "phase", "team", "number", "state", "status", "received_at", "attempts"]
    list_filter = ["task", "state"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        """Another run might become official through it, without a reason in the audit log."""
        return False
