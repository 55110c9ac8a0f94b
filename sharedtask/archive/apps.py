from django.apps import AppConfig


class ArchiveConfig(AppConfig):
    name = "sharedtask.archive"
    label = "archive"
