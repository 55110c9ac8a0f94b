from django.apps import AppConfig


class FoldersConfig(AppConfig):
    name = "sharedtask.folders"
    label = "folders"
