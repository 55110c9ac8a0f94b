"""The site hands out the evaluator that it scores with, and its pages say how to install it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from sharedtask.competition.models import Task
from sharedtask.core.evaluator_wheel import NAME

pytestmark = pytest.mark.django_db
ADDRESS = f"http://testserver/download/{NAME}"


@pytest.fixture
def wheel(settings: LazySettings, tmp_path: Path) -> Path:
    """Its contents are those of `tests/house/test_wheel.py`."""
    settings.WHEEL_DIR = tmp_path
    (tmp_path / NAME).write_bytes(b"PK the evaluator")
    return tmp_path / NAME


def test_the_wheel_is_downloaded_as_it_is(client: Client, wheel: Path) -> None:
    response = client.get(f"/download/{NAME}")
    assert b"".join(response.streaming_content) == wheel.read_bytes()  # type: ignore[arg-type]
    assert response["Content-Disposition"] == f'attachment; filename="{NAME}"'


@pytest.mark.parametrize("name", ["arboretum-0.9.0-py3-none-any.whl", "..%2Fsecret_key", "sources.sha256"])
def test_nothing_else_can_be_downloaded(client: Client, wheel: Path, name: str) -> None:
    (wheel.parent / "sources.sha256").write_text(hashlib.sha256().hexdigest())
    (wheel.parent / "arboretum-0.9.0-py3-none-any.whl").write_bytes(b"an older one")
    assert client.get(f"/download/{name}").status_code == 404


def test_pages_show_how_to_install_it(client: Client, wheel: Path, blind_task: Task) -> None:
    for page in ("/tasks/blind/", "/definitions/", "/docs/"):
        assert f"pip install {ADDRESS}" in client.get(page).content.decode(), page
    task = client.get("/tasks/blind/").content.decode()
    assert "arboretum check outputs --task blind --site http://testserver" in task


def test_a_site_without_a_wheel_does_not_mention_it(
    client: Client, settings: LazySettings, tmp_path: Path, blind_task: Task
) -> None:
    settings.WHEEL_DIR = tmp_path
    assert client.get(f"/download/{NAME}").status_code == 404
    for page in ("/tasks/blind/", "/definitions/", "/docs/"):
        assert "/download/arboretum" not in client.get(page).content.decode(), page
