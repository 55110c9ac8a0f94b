"""The configuration of an image: what is taken from the one that came with it, and the one that is written.

Only what a run needs is kept: command, environment, working directory, and labels by which an image declares
something about its system. Volumes would be writable and unbounded, a health check would be another program,
and users, ports, signals and other labels are decided by the airlock.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .contents import SAVE
from .digests import is_digest
from .documents import Document, as_object, as_text, as_texts, invalid, parse
from .labels import declarations
from .limits import ImageLimits
from .oci_layout import wrong_platform
from .refusal import ImageRefused

NAME = "the configuration of the image"
CREATED = "1970-01-01T00:00:00Z"
"""The same for all images, so that equal ones have equal ids."""
MOST_TEXTS = 1000
MOST_CHARACTERS = 64 * 1024
"""Of command, environment and labels each."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    architecture: str
    entry_point: tuple[str, ...]
    arguments: tuple[str, ...]
    environment: tuple[str, ...]
    working_directory: str
    labels: dict[str, str]
    """All that the image came with."""
    declares: dict[str, str]
    """Those of `labels.py`, which are kept."""
    diff_ids: tuple[str, ...]

    def encode(self) -> bytes:
        """Equal configurations give equal bytes; the digest of these is the id of the image."""
        settings = {
            "Entrypoint": self.entry_point,
            "Cmd": self.arguments,
            "Env": self.environment,
            "WorkingDir": self.working_directory,
            "Labels": self.declares,
        }
        document = {
            "architecture": self.architecture,
            "config": {key: value for key, value in settings.items() if value},
            "created": CREATED,
            "history": [{"created": CREATED}] * len(self.diff_ids),
            "os": "linux",
            "rootfs": {"type": "layers", "diff_ids": self.diff_ids},
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def read_configuration(data: bytes, limits: ImageLimits) -> Configuration:
    document = as_object(parse(data, NAME), NAME, "")
    platform = [as_text(document.get(key) or "", NAME, key) for key in ("os", "architecture")]
    if platform != ["linux", limits.architecture]:
        raise wrong_platform("/".join(platform), limits)
    settings = as_object(document.get("config") or {}, NAME, "config")
    labels = labels_of(settings)
    configuration = Configuration(
        architecture=limits.architecture,
        entry_point=texts_of(settings, "Entrypoint"),
        arguments=texts_of(settings, "Cmd"),
        environment=environment_of(settings),
        working_directory=working_directory_of(settings),
        labels=labels,
        declares=declarations(labels),
        diff_ids=diff_ids_of(document, limits),
    )
    if not any(configuration.entry_point + configuration.arguments):
        raise ImageRefused(
            "no-command",
            "The image has neither an entry point nor a command, so there is nothing to run.",
            'Add ENTRYPOINT ["/path/to/program"] to the Dockerfile and build the image again.',
        )
    return configuration


def texts_of(settings: Document, key: str) -> tuple[str, ...]:
    texts = as_texts(settings.get(key), NAME, key, most=MOST_TEXTS)
    check_length(key, texts)
    return texts


def check_length(key: str, texts: tuple[str, ...]) -> None:
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise invalid(NAME, f"has more than {MOST_CHARACTERS:,} characters of {key}")


def environment_of(settings: Document) -> tuple[str, ...]:
    variables = texts_of(settings, "Env")
    for variable in variables:
        if "=" not in variable[1:]:
            raise invalid(NAME, "has a variable in Env that is not NAME=VALUE")
    return variables


def working_directory_of(settings: Document) -> str:
    """Empty for the root."""
    directory = as_text(settings.get("WorkingDir") or "", NAME, "WorkingDir")
    parts = [part for part in directory.split("/") if part not in ("", ".")]
    if parts and (not directory.startswith("/") or ".." in parts or len(directory) > 1000):
        raise invalid(NAME, "has a WorkingDir that is not an absolute path")
    return "/" + "/".join(parts) if parts else ""


def labels_of(settings: Document) -> dict[str, str]:
    labels = as_object(settings.get("Labels") or {}, NAME, "Labels")
    texts = {as_text(key, NAME, "Labels"): as_text(value, NAME, "Labels") for key, value in labels.items()}
    check_length("Labels", (*texts, *texts.values()))
    return texts


def diff_ids_of(document: Document, limits: ImageLimits) -> tuple[str, ...]:
    layers: dict[str, Any] = as_object(document.get("rootfs"), NAME, "rootfs")
    diff_ids = as_texts(layers.get("diff_ids"), NAME, "diff_ids", most=limits.layers)
    if not all(map(is_digest, diff_ids)):
        raise ImageRefused("diff-id-mismatch", "A diff id of the configuration is not a sha256 digest.", SAVE)
    return diff_ids
