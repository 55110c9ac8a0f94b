"""The machinery itself: each real thing is really there."""

from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import Page
from redis import Redis
from redis.exceptions import AuthenticationError


@pytest.mark.django_db
def test_database_tests_run_on_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        assert cursor.fetchone()[0].startswith("PostgreSQL")


def test_redis_wants_its_password(redis_url: str) -> None:
    with Redis.from_url(redis_url) as client:
        assert client.ping()
    address = "redis://" + redis_url.split("@")[1]
    with Redis.from_url(address) as stranger, pytest.raises(AuthenticationError):
        stranger.ping()


@pytest.mark.browser
def test_browser_shows_a_page(page: Page, tmp_path: Path) -> None:
    page.set_content("<title>Arboretum</title><h1>Hello</h1>")
    assert page.title() == "Arboretum"
