from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "sharedtask.api"
    label = "api"
