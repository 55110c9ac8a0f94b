from django.apps import AppConfig


class UploadsConfig(AppConfig):
    name = "sharedtask.uploads"
    label = "uploads"
