"""Every address of the site."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import HttpRequest
from django.urls import include, path

from sharedtask.core.evaluator_wheel import download_wheel
from sharedtask.core.health import healthz, readyz
from sharedtask.operations.metrics import metrics

# The admin's own sign-in knows no second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


def only_superusers(request: HttpRequest) -> bool:
    """It asks no visibility rule and knows no task, so that being staff, or an organiser, is not enough."""
    return bool(request.user.is_active and request.user.is_superuser)


admin.site.has_permission = only_superusers  # type: ignore[method-assign]

handler500 = "sharedtask.core.server_error.server_error"

urlpatterns = [
    # The first, because programs ask often; all its addresses have one prefix, so that others lose no time.
    path("", include("sharedtask.api.urls")),
    path("", include("sharedtask.accounts.urls")),
    path("", include("sharedtask.competition.urls")),
    path("", include("sharedtask.teams.urls")),
    path("", include("sharedtask.uploads.urls")),
    path("", include("sharedtask.scorers.urls")),
    path("", include("sharedtask.submissions.urls")),
    path("", include("sharedtask.software.urls")),
    path("", include("sharedtask.folders.urls")),
    path("", include("sharedtask.standings.urls")),
    path("", include("sharedtask.analysis.urls")),
    path("", include("sharedtask.leaderboard.urls")),
    path("", include("sharedtask.curves.urls")),
    path("", include("sharedtask.cascades.urls")),
    path("", include("sharedtask.judgements.urls")),
    path("", include("sharedtask.archive.urls")),
    path("", include("sharedtask.overview.urls")),
    path("download/<str:name>", download_wheel, name="wheel"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
]
