"""Alarms: after its check and after scoring, a worker inspects a run for the typical accidents of 2017."""
