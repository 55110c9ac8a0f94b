from django.apps import AppConfig


class StandingsConfig(AppConfig):
    name = "sharedtask.standings"
    label = "standings"
