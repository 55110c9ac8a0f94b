"""Sites by name, with their tokens, in the platform's usual place for configuration.

In: a name, an address, or nothing. Out: a `Site`. The file is readable by its owner alone. Environment
variables come before the file, so that a CI job needs none: ARBORETUM_SITE, ARBORETUM_TOKEN.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from .errors import BadRequest

NO_SITE = "Name a site: `arboretum login https://…`, --site https://…, or ARBORETUM_SITE."


@dataclass(frozen=True, kw_only=True)
class Site:
    name: str
    url: str
    token: str = field(default="", repr=False)


@dataclass(kw_only=True)
class Configuration:
    default: str = ""
    sites: dict[str, Site] = field(default_factory=dict)

    def find(self, name_or_url: str = "") -> Site:
        """The site that is meant, with the token for it. ARBORETUM_TOKEN belongs to whatever is chosen."""
        requested = name_or_url or os.environ.get("ARBORETUM_SITE", "") or self.default
        if not requested:
            raise BadRequest("site-missing", NO_SITE)
        site = self.sites.get(requested) or self.at(self.address_of(requested))
        token = os.environ.get("ARBORETUM_TOKEN", "")
        return Site(name=site.name, url=site.url, token=token) if token else site

    def at(self, url: str) -> Site:
        """With the token for it, if one signed in there; of two accounts there, the one used last."""
        by_url = {site.url: site for site in self.sites.values()}
        last = self.sites.get(self.default)
        if last is not None and last.url == url:
            return last
        return by_url.get(url) or Site(name=urlsplit(url).netloc, url=url)

    def address_of(self, requested: str) -> str:
        """A host is enough, and any page of a site will do."""
        if "://" in requested:
            return origin(requested)
        if "." in requested or ":" in requested:
            return origin(f"https://{requested}")
        known = ", ".join(self.sites) or "none"
        raise BadRequest("site-unknown", f"There is no site {requested!r} (known: {known}). {NO_SITE}")

    def remember(self, site: Site) -> None:
        """The last site that one signed in to is the default."""
        self.sites[site.name] = site
        self.default = site.name
        self.save()

    def forget_token(self, name: str) -> None:
        if name in self.sites:
            self.sites[name] = Site(name=name, url=self.sites[name].url)
            self.save()

    def save(self) -> None:
        sites = {site.name: {"url": site.url, "token": site.token} for site in self.sites.values()}
        write_private(folder() / "config.json", {"default": self.default, "sites": sites})


def load() -> Configuration:
    document = read_document(folder() / "config.json")
    sites = {
        name: Site(name=name, url=str(values["url"]), token=str(values.get("token", "")))
        for name, values in document.get("sites", {}).items()
    }
    return Configuration(default=str(document.get("default", "")), sites=sites)


def folder() -> Path:
    """ARBORETUM_CONFIG names another one."""
    path = os.environ.get("ARBORETUM_CONFIG")
    return Path(path) if path else platformdirs.user_config_path("arboretum", appauthor=False)


def origin(url: str) -> str:
    """The address of the site that a page belongs to."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise BadRequest(
            "site-invalid", f"{url!r} is not the address of a site, such as https://example.org."
        )
    return f"{parts.scheme}://{parts.netloc}"


def read_document(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return document
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadRequest(
            "configuration-unreadable", f"{path} cannot be read ({error}). Repair or remove it."
        ) from error


def write_private(path: Path, document: Mapping[str, Any]) -> None:
    """Through a temporary file, so that an interruption leaves the old one. The mode is 600 throughout."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise BadRequest(
            "configuration-unwritable", f"{path} cannot be written: {error.strerror}."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
