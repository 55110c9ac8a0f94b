from django.apps import AppConfig


class ContentConfig(AppConfig):
    name = "sharedtask.content"
    label = "content"
