"""Sealing: any process can close a file with the public key, only a worker can open it with the private one.

In: bytes. Out: bytes, encrypted in a sealed box (X25519, XSalsa20-Poly1305), or opened again. Gold files and
what is derived from them go through here; the web process is never told where the private key is.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from nacl.encoding import HexEncoder
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox


class NoPublicKey(Exception):
    """This process has no usable public key and can seal nothing; see `python -m sharedtask.core.keys`."""


class NoPrivateKey(Exception):
    """This process has no usable private key and can open nothing; only workers are given one."""


class DamagedSeal(Exception):
    """The sealed file was made for another key, or is damaged."""


def seal(plain: bytes) -> bytes:
    return SealedBox(public_key()).encrypt(plain)


def unseal(sealed: bytes) -> bytes:
    try:
        return SealedBox(private_key()).decrypt(sealed)
    except CryptoError as error:
        raise DamagedSeal("this sealed file cannot be opened with this worker's key") from error


def public_key() -> PublicKey:
    try:
        return PublicKey(settings.GOLD_PUBLIC_KEY.encode(), HexEncoder)
    except ValueError as error:
        raise NoPublicKey("GOLD_PUBLIC_KEY is unset or is not 64 hexadecimal digits") from error


def private_key() -> PrivateKey:
    """Read anew each time: nothing of it stays in a long-lived object."""
    if not settings.GOLD_PRIVATE_KEY_FILE:
        raise NoPrivateKey("GOLD_PRIVATE_KEY_FILE is unset: this process may seal, but not open")
    try:
        return PrivateKey(Path(settings.GOLD_PRIVATE_KEY_FILE).read_bytes().strip(), HexEncoder)
    except (OSError, ValueError) as error:
        raise NoPrivateKey(f"GOLD_PRIVATE_KEY_FILE cannot be used: {error}") from error


def check_pair() -> None:
    """Raise unless this process holds the private key that belongs to the public one."""
    if private_key().public_key != public_key():
        raise NoPrivateKey("GOLD_PRIVATE_KEY_FILE does not belong to GOLD_PUBLIC_KEY")
