"""Sealing: every process can encrypt a file with the public key, only workers can decrypt it.

In: bytes. Out: bytes, encrypted in a sealed box (X25519, XSalsa20-Poly1305), or decrypted. Gold files and
everything derived from them are sealed; the web process does not know where the private key is.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from nacl.encoding import HexEncoder
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox


class NoPublicKey(Exception):
    """This process has no usable public key and cannot seal; see `python -m sharedtask.core.keys`."""


class NoPrivateKey(Exception):
    """This process has no usable private key and cannot unseal; only workers have one."""


class DamagedSeal(Exception):
    """The sealed file was made for another key, or is damaged."""


def seal(plain: bytes) -> bytes:
    return SealedBox(public_key()).encrypt(plain)


def unseal(sealed: bytes) -> bytes:
    try:
        return SealedBox(private_key()).decrypt(sealed)
    except CryptoError as error:
        raise DamagedSeal("this sealed file cannot be decrypted with this worker's key") from error


def public_key() -> PublicKey:
    try:
        return PublicKey(settings.GOLD_PUBLIC_KEY.encode(), HexEncoder)
    except ValueError as error:
        raise NoPublicKey("GOLD_PUBLIC_KEY is unset or is not 64 hexadecimal digits") from error


def private_key() -> PrivateKey:
    """Read at every call, so that it is not part of a long-lived object."""
    if not settings.GOLD_PRIVATE_KEY_FILE:
        raise NoPrivateKey("GOLD_PRIVATE_KEY_FILE is unset: this process can seal, but not unseal")
    try:
        return PrivateKey(Path(settings.GOLD_PRIVATE_KEY_FILE).read_bytes().strip(), HexEncoder)
    except (OSError, ValueError) as error:
        raise NoPrivateKey(f"GOLD_PRIVATE_KEY_FILE cannot be used: {error}") from error


def check_pair() -> None:
    """Raise unless this process has the private key that belongs to the public one."""
    if private_key().public_key != public_key():
        raise NoPrivateKey("GOLD_PRIVATE_KEY_FILE does not belong to GOLD_PUBLIC_KEY")
