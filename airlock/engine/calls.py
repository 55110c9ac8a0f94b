"""Calls of the engine: every one has a timeout, and its errors become those of this package."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import docker
from docker.errors import APIError, DockerException, NotFound
from requests.exceptions import RequestException

from .errors import AirlockError, EngineFailure, EngineUnavailable

API_VERSION = "1.41"
"""Of Docker 20.10 and podman 4, the oldest engines that are supported."""
TIMEOUT_SECONDS = 60
FRAME_HEAD = 8
LOAD_TIMEOUT_SECONDS = 1800
"""Engines unpack an image before they answer."""


class Missing(EngineFailure):
    """There is no such container, image or volume."""


def open_client(url: str, *, timeout_seconds: int = TIMEOUT_SECONDS) -> docker.APIClient:
    return docker.APIClient(base_url=url, version=API_VERSION, timeout=timeout_seconds)


@contextmanager
def engine_call(purpose: str) -> Iterator[None]:
    """The purpose completes the sentence “The engine could not …”."""
    try:
        yield
    except AirlockError:
        raise
    except NotFound as error:
        raise Missing(f"The engine could not {purpose}: {_explain(error)}") from error
    except APIError as error:
        raise EngineFailure(f"The engine could not {purpose}: {_explain(error)}") from error
    except (RequestException, DockerException, OSError) as error:
        raise EngineUnavailable(f"The engine did not respond when asked to {purpose}: {error}") from error


def output_of(client: docker.APIClient, container: str, command: list[str]) -> bytes:
    """Run a program of ours in a container. Out: what it wrote to stdout.

    `exec_start` of the client library reads from the socket itself and loses whatever arrived together with
    the head of the response: on a busy machine everything. Without an upgrade of the connection, the response
    is an ordinary one that ends with the program.
    """
    execution = client.exec_create(container, command, stdout=True, stderr=False)
    address = f"{client.base_url}/v{client.api_version}/exec/{execution['Id']}/start"
    with client.post(address, json={"Detach": False, "Tty": False}, timeout=client.timeout) as response:
        response.raise_for_status()
        return _payload(response.content)


def _payload(frames: bytes) -> bytes:
    """Each frame has a head of eight bytes, of which the last four are its size."""
    parts = []
    while len(frames) >= FRAME_HEAD:
        (size,) = struct.unpack_from(">I", frames, 4)
        parts.append(frames[FRAME_HEAD : FRAME_HEAD + size])
        frames = frames[FRAME_HEAD + size :]
    return b"".join(parts)


def _explain(error: APIError) -> str:
    return str(error.explanation or error)
