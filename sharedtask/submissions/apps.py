from django.apps import AppConfig
from django.core import checks

from sharedtask.core.broker_check import broker_has_password


class SubmissionsConfig(AppConfig):
    name = "sharedtask.submissions"
    label = "submissions"

    def ready(self) -> None:
        # Not at the top: models can be imported only when all apps are known.
        from sharedtask.submissions.resumable import RunPurpose
        from sharedtask.uploads import purposes

        checks.register(broker_has_password, checks.Tags.security)
        purposes.register(RunPurpose())
