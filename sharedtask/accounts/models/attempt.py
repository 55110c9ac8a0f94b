"""The table in which attempts to sign in are counted, in the form that Django's cache in a database has."""

from __future__ import annotations

from django.db import models


class Attempt(models.Model):
    """Read and written by the cache alone; it is a model only so that `migrate` makes the table."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "attempts"

    def __str__(self) -> str:
        return self.cache_key
