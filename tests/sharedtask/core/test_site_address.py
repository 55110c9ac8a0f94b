"""Links that leave the page they stand on lead to the site's own address, whatever Host a request names."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.cache import cache
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.teams.models import Notice, Team
from sharedtask.teams.notices.mail import build_message
from tests.machinery.site import ROOT
from tests.sharedtask.support.people import PASSWORD, arrived, last_mail, password_again, person

pytestmark = pytest.mark.django_db(transaction=True)

FORGED = "evil.example:8080"


@pytest.fixture(autouse=True)
def site_url(settings: Any) -> None:
    cache.clear()
    settings.SITE_URL = "https://tasks.example.org/"


@pytest.fixture
def forger() -> Client:
    return Client(headers={"host": FORGED})


def assert_links_to_the_site(*, subjects: set[str]) -> None:
    mails = arrived()
    assert {mail.subject.removeprefix("[Arboretum] ") for mail in mails} == subjects
    for mail in mails:
        text = f"{mail.subject}\n{mail.body}"
        assert "evil" not in text and "testserver" not in text, text
        assert set(re.findall(r"https?://[^/\s]*/?", text)) <= {"https://tasks.example.org/"}, text
        assert "tasks.example.org" in text


def test_mails_that_anybody_can_ask_for_lead_to_the_site(forger: Client) -> None:
    person("ash")
    for address in ("ash@example.org", "elm@example.org"):
        forger.post("/account/password/forgotten/", {"email": address})
        form = {"full_name": "Ash", "email": address, "password1": PASSWORD}
        Client(headers={"host": FORGED}).post("/account/new/", form)
    assert_links_to_the_site(
        subjects={
            "Reset your password",
            "No account with this address",
            "You already have an account",
            "Please confirm your e-mail address",
        }
    )
    assert sum("https://tasks.example.org/account/" in mail.body for mail in arrived()) == 4


def test_the_link_to_a_new_password_works(forger: Client) -> None:
    forger.post("/account/password/forgotten/", {"email": person("ash").email})
    match = re.search(r"https://tasks\.example\.org(/\S+)", last_mail().body)
    assert match is not None
    page = Client().get(match[1], follow=True).content.decode()
    assert "Set a new password" in page and "has expired" not in page


def test_mails_about_what_happened_to_an_account_lead_to_the_site(forger: Client) -> None:
    user = person("ash")
    TOTP.activate(user, generate_totp_secret())
    forger.force_login(user)
    password_again(forger, "/account/")
    forger.post("/account/second-factor/switch-off/")
    forger.post("/account/addresses/", {"action_add": "", "email": "second@example.org"})
    chosen = "eleven loud aspens"
    form = {"oldpassword": PASSWORD, "password1": chosen, "password2": chosen}
    forger.post("/account/password/", form)
    assert_links_to_the_site(
        subjects={"Please confirm your e-mail address", "Authenticator App Deactivated", "Password Changed"}
    )


def test_an_invitation_leads_to_the_site(forger: Client, team: Team, member: User) -> None:
    forger.force_login(member)
    page = forger.post("/tasks/tiny/team/invite/").content.decode()
    assert re.search(r'value="https://tasks\.example\.org/join/[^"]+"', page)
    assert "evil" not in page


def test_a_notice_leads_to_the_site(task: Task, member: User) -> None:
    notice = Notice(user=member, task=task, kind="received", event="e", text="t", path="/runs/x/")
    body = build_message(notice, "ash@example.org").body
    assert "https://tasks.example.org/runs/x/\n" in body
    assert "https://tasks.example.org/account/notices/\n" in body


def test_only_one_module_asks_for_the_address_of_the_site() -> None:
    """No other may build one from a request, in which the Host header is anybody's word."""
    by_request = re.compile(r"build_absolute_uri|get_host\(|get_current_site|request\.scheme|HTTP_HOST")
    text = {
        str(file.relative_to(ROOT))
        for folder in ("sharedtask", "workers")
        for ending in ("*.py", "*.html", "*.txt")
        for file in (ROOT / folder).rglob(ending)
        if by_request.search(file.read_text(encoding="utf-8"))
    }
    # One lets probes in under any name, the other asks for pages of the site as a visitor would.
    assert text == {"sharedtask/core/health.py", "sharedtask/archive/site/fetch.py"}
