"""Every app of the site begins with one generated migration, and the models are what the migrations say."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command

SITE = Path(__file__).parents[2] / "sharedtask"
WRITTEN_BY_HAND = {"competition/migrations/0002_audit_log_is_append_only.py"}


def test_every_app_has_one_generated_initial_migration() -> None:
    folders = sorted(SITE.glob("*/migrations"))
    numbered = {str(file.relative_to(SITE)) for folder in folders for file in folder.glob("0*.py")}
    initial = {f"{folder.parent.name}/migrations/0001_initial.py" for folder in folders}
    assert numbered - WRITTEN_BY_HAND == initial


@pytest.mark.django_db
def test_no_model_has_changed_without_a_migration() -> None:
    call_command("makemigrations", check=True, dry_run=True)
