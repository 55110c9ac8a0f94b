from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "sharedtask.analysis"
    verbose_name = "Analysis of released gold"
