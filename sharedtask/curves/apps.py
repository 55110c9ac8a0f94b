from django.apps import AppConfig


class CurvesConfig(AppConfig):
    name = "sharedtask.curves"
    verbose_name = "Learning curves"
