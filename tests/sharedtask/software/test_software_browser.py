"""The awk example in a browser, with real workers and a real engine: submitted, run, followed, scored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from playwright.sync_api import Page, expect
from redis import Redis

from airlock.engine import Engine
from examples.build_image import build_image
from tests.machinery.engines import forget_purpose
from tests.machinery.site import ROOT, Running, manage, start_worker

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PATIENCE_MILLISECONDS = 90_000
AIRLOCK_PASSWORD = "0123456789abcdef"


def create_broker_account(url: str) -> str:
    """That of airlock workers, with the rights of the Compose file. Out: its address of the broker."""
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
    account = re.search(r"^user airlock on >\S+ (.+)$", compose["configs"]["redis"]["content"], re.MULTILINE)
    assert account is not None
    with Redis.from_url(url) as redis:
        redis.execute_command("ACL", "SETUSER", "airlock", "on", f">{AIRLOCK_PASSWORD}", *account[1].split())
    place = urlsplit(url)
    return f"redis://airlock:{AIRLOCK_PASSWORD}@{place.hostname}:{place.port}{place.path}"


def test_an_image_is_handed_in_and_its_execution_followed_to_the_board(
    embedded: Mapping[str, str],
    server: Callable[..., Running],
    page: Page,
    docker_engine: Engine,
    tmp_path: Path,
) -> None:
    manage("load_demo", environment=embedded)
    forget_purpose(docker_engine)
    environment = {**embedded, "AIRLOCK": "on"}
    lines = (Path(embedded["DATA_DIR"]) / "demo-accounts.txt").read_text().splitlines()
    password = dict(line.split() for line in lines)["linden"]
    archive = tmp_path / "awk.tar"
    archive.write_bytes(build_image("awk"))
    airlock = {
        **environment,
        "AIRLOCK_ENGINE": docker_engine.facts.url,
        "GOLD_PRIVATE_KEY_FILE": "",
        "REDIS_URL": create_broker_account(embedded["REDIS_URL"]),
    }
    workers = [
        start_worker(environment, tmp_path / "worker.log"),
        start_worker(airlock, tmp_path / "airlock.log", app="workers.airlock"),
    ]
    try:
        url = server(environment).url
        page.goto(f"{url}/sign-in/?next=/tasks/demo/team/software/")
        page.get_by_label("Name or e-mail").fill("linden")
        page.get_by_label("Password").fill(password)
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.get_by_label("Image", exact=True).set_input_files(archive)
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("region", name="Table of versions")).to_contain_text("awk.tar")
        for _ in range(PATIENCE_MILLISECONDS // 1000):
            page.reload()
            if page.get_by_role("region", name="Table of executions").count():
                break
            page.wait_for_timeout(1000)
        page.get_by_role("region", name="Table of executions").get_by_role(
            "link", name="1", exact=True
        ).click()
        # The worker of the airlock may not send a message that it has ended; the sweep does.
        expect(page.locator("#execution-live")).to_contain_text(
            "Ended: the outputs are being collected.", timeout=PATIENCE_MILLISECONDS
        )
        manage("sweep", environment=environment)
        expect(page.locator("#execution-live")).to_contain_text(
            "Ended with exit code 0.", timeout=PATIENCE_MILLISECONDS
        )
        page.get_by_role("link", name="verdicts and scores").click()
        expect(page.locator("#run-live")).to_contain_text(
            "Scored: 8 of 8 files.", timeout=PATIENCE_MILLISECONDS
        )
    finally:
        for worker in workers:
            worker.stop()
    assert docker_engine.run_ids() == set()
    with Redis.from_url(embedded["REDIS_URL"]) as redis:
        refused = {entry["object"] for entry in redis.acl_log()}
    # The name of the client library, before Redis 7, and the message about the end.
    assert {name for name in refused if name != "client" and not name.startswith("score")} == set()
