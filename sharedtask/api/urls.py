"""Addresses of the API, each view in the envelope; and the page with its reference."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, include, path, re_path

from sharedtask.api.caching import cached_view
from sharedtask.api.envelope import api_view, nothing_here
from sharedtask.api.interface import api
from sharedtask.api.reference import reference
from sharedtask.core.body_limit import upload_view

ROOT = "api/v1/"
UPLOADS = frozenset({"runs", "folders", "gold"})
"""Names of the addresses that take files."""
CACHED = "cached-"
"""Names of addresses whose answers for visitors are cached like pages begin with this."""


def in_envelopes(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for pattern in patterns:
        assert isinstance(pattern, URLPattern)
        if pattern.name != "api-root":
            view = pattern.callback
            if pattern.name in UPLOADS:
                upload_view(view)
            is_cached = str(pattern.name).startswith(CACHED)
            pattern.callback = api_view(cached_view(view) if is_cached else view)
            yield pattern


patterns = [*in_envelopes(api.urls[0]), path("", api_view(nothing_here), name="api-root")]
urlpatterns = [
    path("api/", reference, name="api-reference"),
    path(ROOT, include((patterns, api.urls_namespace))),
    re_path(f"^{ROOT}.*$", api_view(nothing_here)),
]
