from django.apps import AppConfig
from django.core import checks

from sharedtask.core.broker_check import broker_has_password


class SubmissionsConfig(AppConfig):
    name = "sharedtask.submissions"
    label = "submissions"

    def ready(self) -> None:
        checks.register(broker_has_password, checks.Tags.security)
