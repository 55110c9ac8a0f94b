"""URLs of resumable uploads, which the proxy passes on unbuffered (deploy/nginx.conf)."""

from __future__ import annotations

from django.urls import path

from sharedtask.uploads import endpoint

urlpatterns = [
    path("uploads/", endpoint.uploads, name="resumable-uploads"),
    path("uploads/<slug:public_id>/", endpoint.upload, name="resumable-upload"),
]
