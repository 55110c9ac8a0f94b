"""Sealing of streams: encrypted piece by piece, never completely in memory and never unencrypted on a disk.

In: chunks. Out: chunks of a sealed file, which begins with a new key in a sealed box for the workers
(`sealing.py`), followed by encrypted pieces (libsodium's secretstream, XChaCha20-Poly1305). A piece that was
changed, removed or moved is detected, and so is a missing end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from nacl import bindings as sodium
from nacl.exceptions import CryptoError

from sharedtask.core import sealing

KEY_BYTES = sodium.crypto_secretstream_xchacha20poly1305_KEYBYTES
BOX_BYTES = KEY_BYTES + sodium.crypto_box_SEALBYTES
HEADER_BYTES = sodium.crypto_secretstream_xchacha20poly1305_HEADERBYTES
FINAL = sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL
MORE = sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
LENGTH_BYTES = 4
MAX_PIECE_BYTES = 16 * 1024 * 1024
"""Of a piece; this module writes no longer ones."""


class Sealer:
    """The sealed file consists of the results of `begin`, `piece` and `end`, in this order."""

    def __init__(self) -> None:
        self._state = sodium.crypto_secretstream_xchacha20poly1305_state()

    def begin(self) -> bytes:
        key = sodium.crypto_secretstream_xchacha20poly1305_keygen()
        return sealing.seal(key) + sodium.crypto_secretstream_xchacha20poly1305_init_push(self._state, key)

    def piece(self, plain: bytes, tag: int = MORE) -> bytes:
        sealed = sodium.crypto_secretstream_xchacha20poly1305_push(self._state, plain, tag=tag)
        return len(sealed).to_bytes(LENGTH_BYTES, "big") + sealed

    def end(self) -> bytes:
        return self.piece(b"", FINAL)


def unseal_stream(stream: BinaryIO) -> Iterator[bytes]:
    """For workers. Each piece is verified; only reaching the end verifies that the file is complete."""
    state = sodium.crypto_secretstream_xchacha20poly1305_state()
    try:
        key = sealing.unseal(exactly(stream, BOX_BYTES))
        header = exactly(stream, HEADER_BYTES)
        sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
        while True:
            length = int.from_bytes(exactly(stream, LENGTH_BYTES), "big")
            plain, tag = sodium.crypto_secretstream_xchacha20poly1305_pull(state, exactly(stream, length))
            yield plain
            if tag == FINAL:
                return
    except (CryptoError, ValueError, RuntimeError) as error:
        raise sealing.DamagedSeal("this sealed file is damaged or incomplete") from error


def exactly(stream: BinaryIO, length: int) -> bytes:
    if length > MAX_PIECE_BYTES:
        raise sealing.DamagedSeal("a piece of this sealed file is too long")
    data = stream.read(length)
    if len(data) < length:
        raise sealing.DamagedSeal("this sealed file is truncated")
    return data
