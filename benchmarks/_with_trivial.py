"""The application with an additional view that does nothing, to measure Django and gunicorn alone."""

from __future__ import annotations

from importlib import import_module

from django.http import HttpRequest, HttpResponse
from django.urls import path

from sharedtask.wsgi import application as application


def trivial(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


# URLs can be imported only after the application; in the middle, to be resolved as fast as the leaderboard.
import_module("sharedtask.urls").urlpatterns.insert(5, path("trivial/", trivial))
