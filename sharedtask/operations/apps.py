from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "sharedtask.operations"
    label = "operations"
