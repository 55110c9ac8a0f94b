"""Single .conllu files in a resumable upload, which sends them one after another as one stream.

In: the metadata of the upload, then its chunks. Out: one `Incoming` file: the archive as it was sent, or the
single files packed as the form packs them (`pack.py`). The metadata `files` has the names and sizes, as JSON:
`[["de_one.conllu", 512], ["en_two.conllu", 1024]]`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.archives.unpack import SUFFIX
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import UploadLimits
from sharedtask.core.storage import Incoming
from sharedtask.submissions.pack import ArchiveBuilder, SingleFile
from sharedtask.submissions.receive import file_too_large, mixed_upload, too_many_files


@dataclass(frozen=True, kw_only=True)
class AnnouncedFile:
    name: str
    size_bytes: int


def announced_files(metadata: Mapping[str, str], limits: UploadLimits) -> list[AnnouncedFile]:
    """Empty for an archive. A refusal if the files are beyond the limits."""
    files = parse_files(metadata["files"]) if metadata.get("files") else []
    if len(files) > limits.members:
        raise too_many_files(limits.members)
    for file in files:
        if not file.name.endswith(SUFFIX):
            raise mixed_upload(file.name)
        if file.size_bytes > limits.member_bytes:
            raise file_too_large(file.name, limits.member_bytes)
    return files


def parse_files(text: str) -> list[AnnouncedFile]:
    try:
        entries = [(str(name), int(size)) for name, size in json.loads(text)]
    except (ValueError, TypeError, RecursionError) as error:
        raise invalid_list() from error
    if any(size < 0 or not name for name, size in entries):
        raise invalid_list()
    return [AnnouncedFile(name=name, size_bytes=size) for name, size in entries]


def invalid_list() -> Refusal:
    return Refusal(
        "upload-files-invalid",
        "The list of files in Upload-Metadata does not fit the upload: it needs the name and the size of "
        "each file.",
        expected='[["name.conllu", size in bytes], …]',
    )


def assemble(chunks: Iterable[bytes], files: Sequence[AnnouncedFile], incoming: Incoming) -> list[SingleFile]:
    """Write what was received into `incoming`; returns the single files that were packed."""
    if not files:
        for chunk in chunks:
            incoming.write(chunk)
        return []
    builder = ArchiveBuilder(incoming)
    try:
        pack(Pieces(chunks), files, builder)
    except BaseException:
        builder.abandon()
        raise
    return builder.files


def pack(pieces: Pieces, files: Sequence[AnnouncedFile], builder: ArchiveBuilder) -> None:
    for file in files:
        builder.begin(file.name)
        for piece in pieces.take(file.size_bytes):
            builder.write(piece)
        builder.end()
    if pieces.remain():
        raise invalid_list()
    builder.close()


class Pieces:
    """Chunks, divided where a file ends and the next begins."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""

    def take(self, size: int) -> Iterator[bytes]:
        while size > 0:
            chunk = self._rest or next(self._chunks, b"")
            if not chunk:
                raise invalid_list()
            piece, self._rest = chunk[:size], chunk[size:]
            size -= len(piece)
            yield piece

    def remain(self) -> bool:
        return bool(self._rest or next(self._chunks, b""))
