from django.apps import AppConfig


class TeamsConfig(AppConfig):
    name = "sharedtask.teams"
    label = "teams"
