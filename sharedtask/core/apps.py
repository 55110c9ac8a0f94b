from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "sharedtask.core"
    label = "core"
