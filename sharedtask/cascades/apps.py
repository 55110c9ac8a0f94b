from django.apps import AppConfig


class CascadesConfig(AppConfig):
    name = "sharedtask.cascades"
    verbose_name = "Experiments with constraints"
