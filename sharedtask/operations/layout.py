"""Check whether the database has the tables of this version.

In: a connection. Out: yes or no; nothing is changed. Nothing has been released yet, so the initial migrations
are regenerated when a model changes: an older database then has migrations that no longer exist, or other
columns than the models. A database that only lacks later migrations fits.
"""

from __future__ import annotations

from django.apps import apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.exceptions import InconsistentMigrationHistory
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def fits(connection: BaseDatabaseWrapper) -> bool:
    tables = set(connection.introspection.table_names())
    if not tables:
        return True
    if MigrationRecorder.Migration._meta.db_table not in tables:
        return False
    loader = MigrationLoader(connection, ignore_no_migrations=True)
    applied, known = set(loader.applied_migrations), set(loader.disk_migrations)
    if not applied <= known:
        return False
    try:
        loader.check_consistent_history(connection)
    except InconsistentMigrationHistory:
        return False
    complete = loader.migrated_apps - {app for app, _ in known - applied}
    up_to_date = [model for model in apps.get_models() if model._meta.app_label in complete]
    return all(has_expected_columns(connection, model, tables) for model in up_to_date)


def has_expected_columns(
    connection: BaseDatabaseWrapper, model: type[models.Model], tables: set[str]
) -> bool:
    meta = model._meta
    if not meta.managed or meta.proxy:
        return True
    if meta.db_table not in tables:
        return False
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, meta.db_table)
    expected = {field.column for field in meta.local_concrete_fields}
    return {column.name for column in columns} == expected
