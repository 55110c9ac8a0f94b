"""What tests of trained series share."""

from __future__ import annotations

from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.curves.models import Training

SIZES = [5, 10, 20]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def reload(training: Training) -> Training:
    return Training.objects.get(pk=training.pk)
