"""The layers, each read once: unpacked, hashed, parsed, checked and copied in the same pass."""

from __future__ import annotations

import hashlib

from ..decompression import Readable
from .compression import LONGEST_MAGIC, Unpacked, decompressor_for, too_large
from .contents import Contents
from .digests import check_digest
from .layer_tree import LayerTree
from .limits import ImageLimits
from .members import members
from .parts import Layer
from .refusal import ImageRefused, quote
from .stream import Observed, Stream
from .tar_headers import REPACK
from .written_archive import WrittenArchive, layer_name


class LayerCopier:
    def __init__(self, contents: Contents, archive: WrittenArchive, limits: ImageLimits) -> None:
        self.contents = contents
        self.archive = archive
        self.limits = limits
        self.tree = LayerTree(limits)
        self.uncompressed_bytes = 0
        self.number = 0
        self.written: set[str] = set()
        """Diff ids. An image can have the same layer twice; it is written once."""
        self.plain = hashlib.sha256()

    def copy(self, layer: Layer, diff_id: str) -> None:
        self.number += 1
        if diff_id in self.written:
            return
        self.written.add(diff_id)
        self.archive.begin()
        packed_digest = self.copy_content(layer)
        self.archive.end(layer_name(diff_id))
        check_digest(packed_digest, layer.digest, layer.entry.name)
        if f"sha256:{self.plain.hexdigest()}" != diff_id:
            raise ImageRefused(
                "diff-id-mismatch",
                f"The content of layer {self.number}, {quote(layer.entry.name)}, does not have the "
                "diff id that the configuration gives.",
                "The archive is damaged or was edited; save the image again.",
            )

    def copy_content(self, layer: Layer) -> str:
        """Out: the digest of the layer as it is packed."""
        where = f"layer {self.number}"
        self.plain = hashlib.sha256()
        source: Readable = self.contents.open(layer.entry)
        new_decompressor = decompressor_for(source.read(LONGEST_MAGIC), where)
        source = self.contents.open(layer.entry)
        if new_decompressor is None:
            self.check_members(source, where)
            return f"sha256:{self.plain.hexdigest()}"
        packed = hashlib.sha256()
        observed = Observed(source, packed.update)
        self.check_members(Unpacked(observed, new_decompressor, limits=self.limits, where=where), where)
        return f"sha256:{packed.hexdigest()}"

    def check_members(self, source: Readable, where: str) -> None:
        stream = Stream(Observed(source, self.receive), where)
        if stream.refill() and decompressor_for(stream.block[:LONGEST_MAGIC], where):
            raise ImageRefused("compressed-twice", f"The data of {where} are compressed twice.", REPACK)
        self.tree.begin_layer(where)
        for member in members(stream):
            self.tree.add(member)
        self.tree.end_layer()

    def receive(self, block: bytes) -> None:
        self.uncompressed_bytes += len(block)
        if self.uncompressed_bytes > self.limits.uncompressed_bytes:
            raise too_large("the image", self.limits)
        self.plain.update(block)
        self.archive.write(block)
