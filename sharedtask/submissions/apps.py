from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "sharedtask.submissions"
    label = "submissions"
