"""The Celery application: ``celery -A workers.app worker``. The settings (CELERY_*) configure it."""

import os

from celery import Celery
from django.core.exceptions import ImproperlyConfigured

if not os.environ.get("DJANGO_SETTINGS_MODULE"):
    raise ImproperlyConfigured("Set DJANGO_SETTINGS_MODULE, for example to sharedtask.settings.production.")

app = Celery("workers", include=["workers.tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")
