from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "sharedtask.accounts"
    label = "accounts"
