from django.apps import AppConfig


class CompetitionConfig(AppConfig):
    name = "sharedtask.competition"
    label = "competition"
