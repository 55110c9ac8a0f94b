from django.apps import AppConfig


class OverviewConfig(AppConfig):
    name = "sharedtask.overview"
    label = "overview"
