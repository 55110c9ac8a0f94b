"""The table of the database cache that counts attempts to sign in."""

from __future__ import annotations

from django.db import models


class Attempt(models.Model):
    """Used only by Django's cache; it is a model so that `migrate` creates the table."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "attempts"

    def __str__(self) -> str:
        return self.cache_key
