"""Read environment variables for the settings; nothing else reads them.

In: the name of a variable. Out: its value with the type that the setting needs, or
``ImproperlyConfigured`` with the name of the variable and what was expected.
"""

import os
import secrets
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str) -> str:
    return os.environ.get(name, "").strip() or default


def required(name: str) -> str:
    """An empty value counts as unset, so that a server does not start with an unedited example file."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise ImproperlyConfigured(f"Set the environment variable {name}; see deploy/environment.example.")
    return value


def integer(name: str, default: int) -> int:
    value = text(name, str(default))
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, found {value!r}.") from None
    if number < 0:
        raise ImproperlyConfigured(f"{name} must not be negative, found {value!r}.")
    return number


def choice(name: str, choices: tuple[str, ...]) -> str:
    """One of the choices; the first is the default."""
    value = text(name, choices[0])
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, found {value!r}.")
    return value


def listing(value: str) -> list[str]:
    """Comma-separated words without surrounding spaces."""
    return [word.strip() for word in value.split(",") if word.strip()]


def networks(name: str, default: str) -> list[str]:
    """Comma-separated addresses and networks; an asterisk stands for all."""
    words = listing(text(name, default))
    for word in words:
        try:
            word == "*" or ip_network(word)
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} must contain addresses, networks or *, found {word!r}."
            ) from None
    return words


def path(name: str, default: Path) -> Path:
    return Path(text(name, str(default))).expanduser().absolute()


def database(name: str, url: str) -> dict[str, Any]:
    """Turn ``postgresql://user:password@host:port/name?option=value`` into Django's dictionary.

    An empty host, or a ``host`` among the options that is a directory, means a Unix socket.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            f"{name} must look like postgresql://user:password@host:5432/name, found scheme {parts.scheme!r}."
        )
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
    }


def content(file: Path) -> str:
    """The text of a file without the line end; empty if there is no file."""
    return file.read_text(encoding="ascii").strip() if file.exists() else ""


def secret_from_file(file: Path) -> str:
    """Read a secret, which is generated once and readable only by its owner.

    Several processes may start at once, so a new secret is written to a temporary file and linked into place:
    the first one wins, and all read the same secret.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(64))
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text(encoding="ascii").strip()


def shared_cache(broker_url: str) -> dict[str, Any]:
    """In the Redis of the broker, if there is one; otherwise in the memory of the process."""
    if not broker_url.startswith(("redis://", "rediss://")):
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "limits"}
    # A request must not wait for a dead Redis.
    options = {"socket_connect_timeout": 1, "socket_timeout": 1}
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": broker_url,
        "KEY_PREFIX": "limits",
        "OPTIONS": options,
    }
