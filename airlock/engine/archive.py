"""Write an image archive of our own: a few files and a command, the same bytes for the same content."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Archive:
    content: bytes
    image_id: str
    name: str


def build_archive(
    files: Mapping[str, bytes],
    *,
    name: str,
    command: Sequence[str],
    folders: Mapping[str, int] | None = None,
    mode: int = 0o755,
    config: Mapping[str, Any] | None = None,
) -> Archive:
    """An archive in the format of `docker save`: one layer of folders and files with their modes."""
    layer = _tar(files, folders or {}, mode)
    description = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Entrypoint": list(command), **(config or {})},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created_by": "airlock"}],
        "created": "1970-01-01T00:00:00Z",
    }
    encoded = json.dumps(description, sort_keys=True).encode()
    digest = hashlib.sha256(encoded).hexdigest()
    manifest = [{"Config": f"{digest}.json", "RepoTags": [f"{name}:{digest}"], "Layers": ["layer.tar"]}]
    members = {f"{digest}.json": encoded, "layer.tar": layer, "manifest.json": json.dumps(manifest).encode()}
    return Archive(content=_tar(members, {}, 0o644), image_id=f"sha256:{digest}", name=f"{name}:{digest}")


def _tar(files: Mapping[str, bytes], folders: Mapping[str, int], mode: int) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for folder, folder_mode in folders.items():
            member = tarfile.TarInfo(folder)
            member.type, member.mode = tarfile.DIRTYPE, folder_mode
            tar.addfile(member)
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), mode
            tar.addfile(member, io.BytesIO(content))
    return target.getvalue()
