"""What gunicorn loads. It has no default profile: a server that does not say which it is must not start."""

import os

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

from sharedtask.core import logs
from sharedtask.core.lingering_close import lingering

if not os.environ.get("DJANGO_SETTINGS_MODULE"):
    raise ImproperlyConfigured("Set DJANGO_SETTINGS_MODULE, for example to sharedtask.settings.production.")

application = lingering(logs.with_request_id(get_wsgi_application()))
