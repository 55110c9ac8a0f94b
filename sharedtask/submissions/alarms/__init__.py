"""Alarms that would have saved teams in 2017: workers look a run over after its check and scoring."""
