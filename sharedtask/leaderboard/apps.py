from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "sharedtask.leaderboard"
    label = "leaderboard"
