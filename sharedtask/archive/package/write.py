"""Write a data package as a stream: a zip whose bytes depend only on its contents.

In: `Contents` and an open `Incoming` file. Names are sorted, dates are those of the publication, and the zip
does not show on which machine it was written.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator

from sharedtask.archive.package.contents import Contents
from sharedtask.archive.package.tables import tables
from sharedtask.core import storage
from sharedtask.core.storage import Incoming
from sharedtask.submissions.models import RunFile

CHUNK = 256 * 1024
MODE = 0o644 << 16


class Sink(io.RawIOBase):
    """The output of `zipfile`. It is not seekable, so every byte is hashed as it is written."""

    def __init__(self, incoming: Incoming) -> None:
        self.incoming = incoming

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        content = bytes(data)  # type: ignore[call-overload]
        self.incoming.write(content)
        return len(content)


def write(contents: Contents, incoming: Incoming) -> None:
    date = contents.publication.at.timetuple()[:6]
    with zipfile.ZipFile(Sink(incoming), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, chunks in entries(contents):
            entry = zipfile.ZipInfo(f"{contents.task.slug}/{name}", date_time=date)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, MODE, 3
            with archive.open(entry, "w") as member:
                for chunk in chunks:
                    member.write(chunk)


def entries(contents: Contents) -> Iterator[tuple[str, Iterable[bytes]]]:
    for name, text in sorted(tables(contents).items()):
        yield name, [text.encode()]
    for code, item in contents.sets.items():
        if item.gold_is_public:
            yield f"gold/{code}.conllu", chunks_of(item.gold.public_copy)
            for reference in item.gold.references.all() if item.gold.has_references else ():
                yield f"gold/{code}/{reference.name}.conllu", chunks_of(reference.public_copy)
    for run, code, output in outputs(contents):
        yield f"systems/{run}/{code}.conllu", chunks_of(output)


def outputs(contents: Contents) -> Iterator[tuple[str, str, str]]:
    """All submitted files, including invalid ones, so that scoring again gives the same results."""
    codes = [code for code, item in contents.sets.items() if item.gold_is_public]
    files = RunFile.objects.filter(run__public_id__in=contents.open_runs, test_set__code__in=codes)
    files = files.exclude(output="").order_by("run__public_id", "test_set__code")
    yield from files.values_list("run__public_id", "test_set__code", "output")


def chunks_of(name: str) -> Iterator[bytes]:
    with storage.open_stream(name) as stream:
        while chunk := stream.read(CHUNK):
            yield chunk
