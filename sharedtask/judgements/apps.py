from django.apps import AppConfig


class JudgementsConfig(AppConfig):
    name = "sharedtask.judgements"
    verbose_name = "Human judgements"
