"""Requests that are repeated, interrupted or redirected, against a small server with a list of answers."""

import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from evaluation.client import transport
from evaluation.client.transport import Transport

Scripted = tuple[int, dict[str, str], bytes]


class Server:
    def __init__(self, answers: list[Scripted]) -> None:
        self.answers = answers
        self.requests: list[tuple[str, str, bytes]] = []
        self.headers: list[http.client.HTTPMessage] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.requests.append((self.command, self.path, sent))
                server.headers.append(self.headers)
                status, headers, body = server.answers.pop(0)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server([])
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Nobody waits here."""
    pauses: list[float] = []
    monkeypatch.setattr(transport.time, "sleep", pauses.append)
    return pauses


AWAY: Scripted = (503, {}, b"away")
GOOD: Scripted = (200, {}, b'{"good": true}')


def test_a_request_is_repeated_until_the_site_is_back(server: Server, pauses: list[float]) -> None:
    server.answers = [AWAY, AWAY, GOOD]
    response = Transport().send("POST", server.url, headers={}, body=b"the same", repeat=True)
    assert response.json() == {"good": True}
    assert [body for _, _, body in server.requests] == [b"the same"] * 3
    assert pauses == [0.5, 1]


def test_a_request_is_sent_once_if_not_wanted_otherwise(server: Server) -> None:
    server.answers = [AWAY, GOOD]
    assert Transport().send("POST", server.url, headers={}).status == 503
    assert len(server.requests) == 1


def test_the_last_answer_is_given_if_the_site_stays_away(server: Server) -> None:
    server.answers = [AWAY] * 6
    response = Transport().send("GET", server.url, headers={}, repeat=True)
    assert (response.status, response.data) == (503, b"away")
    assert len(server.requests) == 5


def test_a_site_that_asks_for_patience_gets_it_within_reason(server: Server, pauses: list[float]) -> None:
    server.answers = [(429, {"Retry-After": "7"}, b""), GOOD]
    assert Transport().send("GET", server.url, headers={}, repeat=True).status == 200
    assert pauses == [7]
    server.answers = [(429, {"Retry-After": "3600"}, b""), GOOD]
    assert Transport().send("GET", server.url, headers={}, repeat=True).status == 429


def test_an_answer_that_breaks_off_is_an_error_and_repeated(server: Server) -> None:
    cut: Scripted = (200, {"Content-Length": "100"}, b"half")
    server.answers = [cut, GOOD]
    assert Transport().send("GET", server.url, headers={}, repeat=True).json() == {"good": True}
    server.answers = [cut]
    response = Transport().send("GET", server.url, headers={}, stream=True)
    with pytest.raises(http.client.IncompleteRead):
        list(response.stream(10))


def test_redirects_are_not_followed(server: Server) -> None:
    server.answers = [(302, {"Location": server.url + "elsewhere"}, b""), GOOD]
    assert Transport().send("GET", server.url, headers={}).status == 302
    assert len(server.requests) == 1


def test_a_body_in_pieces_is_sent_with_its_length_and_type(server: Server) -> None:
    server.answers = [GOOD]
    headers = {"Content-Length": "6", "Content-Type": "application/offset+octet-stream"}
    Transport().send("PATCH", server.url, headers=headers, body=iter([b"abc", b"def"]))
    assert server.requests == [("PATCH", "/", b"abcdef")]
    assert server.headers[0]["Content-Type"] == "application/offset+octet-stream"
    assert server.headers[0]["Transfer-Encoding"] is None


def test_the_proxy_of_the_environment_is_asked_each_time(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.answers = [AWAY, GOOD]
    assert Transport().send("GET", "http://site.invalid/api", headers={}, repeat=True).status == 200
    assert [path for _, path, _ in server.requests] == ["http://site.invalid/api"] * 2
