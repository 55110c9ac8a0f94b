"""Webhooks: what is sent, when, signed how, and where it may go."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from sharedtask.accounts.models import User
from sharedtask.api.models import Delivery, StoredAnswer, Webhook
from sharedtask.api.webhooks import connect
from sharedtask.api.webhooks.deliver import MAX_FAILURES, DeliverWebhooks
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.standings.models import Publication
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Notice, Team
from sharedtask.work.perform import perform
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)
EVENTS = ["run.finished", "results.published", "phase.opened"]


class Receiver:
    """A server that records what it is sent and answers with a status."""

    def __init__(self) -> None:
        self.status = 204
        self.calls: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.append((dict(self.headers.items()), body))
                self.send_response(receiver.status)
                self.send_header("Location", "http://169.254.169.254/")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments: Any) -> None:
                """Tests print nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}/hook"


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """On this machine, which real webhooks may not reach."""
    receiver = Receiver()
    thread = threading.Thread(target=receiver.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    monkeypatch.setattr(connect, "SCHEMES", ("http",))
    monkeypatch.setattr(connect, "is_public", lambda address: True)
    monkeypatch.setattr(connect, "public_address", lambda host, port: "127.0.0.1")
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()
    thread.join()


@pytest.fixture
def caller(member: User, team: Team, blind_team: Team, dispatched: list[Any]) -> Caller:
    return Caller(member)


def create(caller: Caller, url: str, *, task: str = "tiny") -> Any:
    return caller.post("/webhooks", {"task": task, "url": url, "events": EVENTS}, status=201)


def deliver() -> int:
    """What the sweep and a worker do."""
    kind = DeliverWebhooks()
    kind.discover(at=clock.database_now())
    keys = list(kind.waiting().values_list("public_id", flat=True))
    return perform(kind, keys) if keys else 0


def test_a_finished_run_is_reported_once_and_signed(
    caller: Caller, receiver: Receiver, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    secret = create(caller, receiver.url)["secret"]
    run = upload(good_archive())
    assert deliver() == 0
    work()
    assert (deliver(), deliver()) == (1, 0)
    ((headers, body),) = receiver.calls
    sent = json.loads(body)
    assert (sent["type"], sent["data"]["run"], sent["data"]["state"]) == (
        "run.finished",
        run.public_id,
        "scored",
    )
    # By the library of those who wrote the standard.
    assert Verifier(secret).verify(body, headers) == sent
    with pytest.raises(WebhookVerificationError):
        Verifier(secret).verify(body.replace(b"scored", b"failed"), headers)
    assert secret not in str(Webhook.objects.values().get())


def test_a_blind_run_is_reported_as_its_page_shows_it(
    caller: Caller,
    receiver: Receiver,
    blind_team: Team,
    upload: Callable[..., Run],
    work: Callable[[], None],
) -> None:
    create(caller, receiver.url, task="blind")
    run = upload(good_archive(), team=blind_team)
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    deliver()
    ((_, body),) = receiver.calls
    assert json.loads(body)["data"]["state"] == "checked"
    assert b"scored" not in body


def test_runs_of_others_are_not_reported(
    caller: Caller, receiver: Receiver, task: Task, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    create(Caller(organiser, ["submit"]), receiver.url)
    upload(good_archive())
    work()
    assert deliver() == 0


def test_openings_and_publications_are_reported_when_they_have_happened(
    caller: Caller, receiver: Receiver, task: Task
) -> None:
    create(caller, receiver.url)
    now = clock.database_now()
    task.phases.create(
        code="next", kind="test", title="Next", feedback="validity", opens_at=now + timedelta(hours=1)
    )
    assert deliver() == 0
    task.phases.filter(code="next").update(opens_at=now)
    Webhook.objects.update(created_at=now - timedelta(minutes=1))
    Publication.objects.create(task=task, at=now)
    assert deliver() == 2
    assert sorted(json.loads(body)["type"] for _, body in receiver.calls) == [
        "phase.opened",
        "results.published",
    ]


@pytest.mark.parametrize("status", [500, 302, 404])
def test_a_failure_is_retried_later_and_a_redirect_is_one(
    caller: Caller, receiver: Receiver, task: Task, status: int
) -> None:
    create(caller, receiver.url)
    Publication.objects.create(task=task, at=clock.database_now())
    receiver.status = status
    assert deliver() == 0
    row = Delivery.objects.get()
    assert (row.state, row.attempts, len(receiver.calls)) == ("waiting", 1, 1)
    assert row.claimed_until is not None and row.claimed_until > clock.database_now()
    # With the same id, by which the receiver recognises it.
    receiver.status = 204
    Delivery.objects.update(claimed_until=None)
    assert deliver() == 1
    assert receiver.calls[0][0]["webhook-id"] == receiver.calls[1][0]["webhook-id"]


def test_after_repeated_failure_a_webhook_is_switched_off_with_a_notice(
    caller: Caller, receiver: Receiver, task: Task, member: User
) -> None:
    create(caller, receiver.url)
    receiver.status = 500
    attempts = DeliverWebhooks.retries.max_attempts
    assert attempts is not None
    for number in range(MAX_FAILURES):
        at = clock.database_now()
        Publication.objects.create(task=task, at=at, note=str(number))
        for _ in range(attempts):
            deliver()
            Delivery.objects.filter(state="waiting").update(claimed_until=None)
    (webhook,) = caller.get("/webhooks")["items"]
    assert webhook["disabled_at"] is not None
    assert Notice.objects.filter(user=member, kind="webhook").count() == 1
    calls = len(receiver.calls)
    Publication.objects.create(task=task, at=clock.database_now())
    assert deliver() == 0 and len(receiver.calls) == calls


def test_the_same_key_gives_the_same_webhook_and_its_secret(caller: Caller, receiver: Receiver) -> None:
    wanted = {"task": "tiny", "url": receiver.url, "events": ["run.finished"]}
    first, second = (caller.post("/webhooks", wanted, status=201, key="once") for _ in range(2))
    assert first == second and Webhook.objects.count() == 1
    stored = StoredAnswer.objects.get()
    assert first["secret"] not in stored.body and first["id"] not in stored.body


def test_a_webhook_belongs_to_its_owner(caller: Caller, receiver: Receiver) -> None:
    webhook = create(caller, receiver.url)["id"]
    other = Caller(User.objects.create_user("other"))
    assert other.get("/webhooks")["items"] == []
    other.send("DELETE", f"/webhooks/{webhook}", status=404)
    caller.send("DELETE", f"/webhooks/{webhook}", status=204)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://",
        "ftp://example.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.1/",
        "https://[::ffff:192.168.0.1]/",
        "https://user:password@example.org/",
        "https://example.org:99999/",
        "https://example.org/a b",
    ],
)
def test_an_address_that_cannot_be_used_is_refused(caller: Caller, url: str) -> None:
    body = {"task": "tiny", "url": url, "events": ["run.finished"]}
    assert caller.post("/webhooks", body, status=422)["id"] == "webhook-address"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "fe80::1",
        "fc00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_a_name_that_leads_into_our_network_is_not_called(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if only one of its addresses does, and whatever the name led to before."""
    connected: list[Any] = []
    monkeypatch.setattr(socket, "create_connection", lambda *args, **kwargs: connected.append(args))
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 443)),
        (family, socket.SOCK_STREAM, 6, "", (address, 443)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: found)
    with pytest.raises(connect.NotPublic):
        connect.post("https://example.org/hook", b"{}", {})
    assert connected == []


@pytest.mark.parametrize(
    ("scheme", "beginning"),
    [("http", b"HTTP/1.1 200 OK\r\nX-Slow: "), ("https", b"\x16\x03\x03\x40\x00")],
)
def test_a_receiver_that_answers_for_ever_is_cut_off(
    scheme: str, beginning: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every byte comes within the time-out of a single read; the whole call has a limit as well."""
    monkeypatch.setattr(connect, "public_address", lambda host, port: "127.0.0.1")
    monkeypatch.setattr(connect, "TOTAL_SECONDS", 0.5)
    stopped = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(beginning)
            for _ in range(300):
                connection.sendall(b"x")
                if stopped.wait(0.02):
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=[listener])
        thread.start()
        try:
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                connect.post(f"{scheme}://localhost:{listener.getsockname()[1]}/hook", b"{}", {})
            assert time.monotonic() - began < 5
        finally:
            stopped.set()
            thread.join()


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second look at the name could give another address."""
    looked_up: list[str] = []
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 443))]

    def look_up(host: str, *args: Any, **kwargs: Any) -> Any:
        looked_up.append(host)
        return found

    class Stopped(Exception):
        pass

    def stop(address: Any, **kwargs: Any) -> None:
        assert address == ("93.184.215.14", 443)
        raise Stopped

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", stop)
    with pytest.raises(Stopped):
        connect.post("https://example.org/hook", b"{}", {})
    assert looked_up == ["example.org"]
