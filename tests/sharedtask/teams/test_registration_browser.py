"""A participant in a browser: an account, its e-mail, a team, an invitation, a second member."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.machinery.site import Running, manage
from tests.sharedtask.support.people import code_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PASSWORD = "seven quiet larches"
ORGANISER = """
from allauth.account.models import EmailAddress
from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
user = User.objects.create_user("oak", email="oak@example.org", password="seven quiet larches")
EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
Task.objects.get(slug="demo").organisers.add(user)
"""


def letters(environment: Mapping[str, str], address: str) -> list[str]:
    """What has been written to an address, oldest first; a file may hold several mails."""
    folder = Path(environment["DATA_DIR"]) / "mail"
    files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime) if folder.is_dir() else []
    texts = []
    for file in files:
        for part in file.read_bytes().split(b"-" * 79 + b"\n"):
            letter = message_from_bytes(part, policy=policy.default)
            if letter["To"] == address:
                texts.append(str(letter.get_content()))
    return texts


def wait_for_letter(environment: Mapping[str, str], address: str, words: str) -> str:
    end = time.monotonic() + 30
    while True:
        texts = [text for text in letters(environment, address) if words in text]
        if texts:
            return texts[-1]
        assert time.monotonic() < end, letters(environment, address)
        time.sleep(0.2)


def make_account(page: Page, environment: Mapping[str, str], name: str) -> None:
    address = f"{name.lower()}@example.org"
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Check your e-mail")).to_be_visible()
    link = re.search(r"http://\S+", wait_for_letter(environment, address, "confirm that it is yours"))
    assert link is not None
    page.goto(link[0])
    page.get_by_role("button", name="Confirm").click()


def test_from_a_new_account_to_a_confirmed_team_of_two(
    embedded: Mapping[str, str],
    server: Callable[..., Running],
    worker: Callable[..., Running],
    browser: Browser,
    screenshots: Path,
) -> None:
    manage("load_demo", environment=embedded)
    manage("shell", "-c", ORGANISER, environment=embedded)
    url = server(embedded).url
    worker(embedded)
    first, second, third = (browser.new_context() for _ in range(3))
    try:
        ash = first.new_page()
        ash.goto(f"{url}/tasks/demo/")
        ash.get_by_role("link", name="Take part").click()
        ash.get_by_role("link", name="Create an account").click()
        ash.screenshot(path=screenshots / "people-1-account.png", full_page=True)
        make_account(ash, embedded, "Ash")
        expect(ash.get_by_text("You are not on a team for this task yet")).to_be_visible()
        ash.get_by_role("link", name="Register a team").click()
        ash.get_by_label("Team name").fill("Alder")
        ash.get_by_label("We have read and accept the rules").check()
        ash.screenshot(path=screenshots / "people-2-register.png", full_page=True)
        ash.get_by_role("button", name="Register").click()
        expect(ash.get_by_role("heading", name="Alder")).to_be_visible()
        ash.get_by_role("button", name="Invite a member").click()
        invitation = ash.get_by_label("Invitation").input_value()
        ash.screenshot(path=screenshots / "people-3-team.png", full_page=True)

        elm = second.new_page()
        elm.goto(invitation)
        elm.get_by_role("link", name="Create an account").click()
        make_account(elm, embedded, "Elm")
        elm.get_by_role("button", name="Join Alder").click()
        expect(elm.get_by_text("Welcome to Alder")).to_be_visible()

        # The organiser has to set up a second factor first; a page of the demo's own organiser needs none.
        oak = third.new_page()
        oak.goto(f"{url}/tasks/demo/organise/teams/")
        oak.get_by_label("Name or e-mail").fill("oak@example.org")
        oak.get_by_label("Password").fill(PASSWORD)
        oak.get_by_role("main").get_by_role("button", name="Sign in").click()
        expect(oak.get_by_role("heading", name="Set up a second factor")).to_be_visible()
        oak.screenshot(path=screenshots / "people-4-second-factor.png", full_page=True)
        secret = oak.get_by_label("Key").input_value()
        oak.get_by_label("Authenticator code").fill(code_of(secret))
        oak.get_by_role("button", name="Turn on").click()
        expect(oak.get_by_role("heading", name="Recovery codes")).to_be_visible()
        oak.goto(f"{url}/tasks/demo/organise/teams/")
        card = oak.get_by_role("listitem").filter(has_text="ash@example.org")
        oak.screenshot(path=screenshots / "people-5-registrations.png", full_page=True)
        card.get_by_role("button", name="Confirm").click()
        expect(card).to_contain_text("confirmed")

        text = wait_for_letter(embedded, "elm@example.org", "The registration of Alder")
        assert "was confirmed" in text
        elm.goto(f"{url}/notices/")
        expect(elm.get_by_text("The registration of Alder for")).to_be_visible()
        elm.screenshot(path=screenshots / "people-6-notices.png", full_page=True)
        elm.set_viewport_size({"width": 390, "height": 844})
        for path in (
            "/tasks/demo/team/",
            "/notices/",
            "/account/",
            "/account/notices/",
            "/tasks/demo/systems/new/",
        ):
            elm.goto(url + path)
            widths = elm.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
            assert widths[0] <= widths[1], f"{path} is wider than a telephone"
    finally:
        for context in (first, second, third):
            context.close()


def test_the_demo_organiser_needs_no_telephone_on_this_machine_alone(
    embedded: Mapping[str, str], server: Callable[..., Running], page: Page
) -> None:
    manage("load_demo", environment=embedded)
    lines = (Path(embedded["DATA_DIR"]) / "demo-accounts.txt").read_text().splitlines()
    password = dict(line.split() for line in lines)["organiser"]
    for host, heading in (("127.0.0.1", "Registrations"), ("0.0.0.0", "Set up a second factor")):
        url = server({**embedded, "HOST": host}).url
        page.context.clear_cookies()
        page.goto(f"{url}/tasks/demo/organise/teams/")
        page.get_by_label("Name or e-mail").fill("organiser")
        page.get_by_label("Password").fill(password)
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
