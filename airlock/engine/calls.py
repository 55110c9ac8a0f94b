"""Calls of the engine: every one has a timeout, and its errors become those of this package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import docker
from docker.errors import APIError, DockerException, NotFound
from requests.exceptions import RequestException

from .errors import AirlockError, EngineFailure, EngineUnavailable

API_VERSION = "1.41"
"""Of Docker 20.10 and podman 4, the oldest engines that are supported."""
TIMEOUT_SECONDS = 60
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


def _explain(error: APIError) -> str:
    return str(error.explanation or error)
