"""Encryption of secrets in the database that the site itself has to read again.

In: a text and its purpose. Out: a text that only a process with the site's SECRET_KEY can decrypt (XSalsa20-
Poly1305, PyNaCl's SecretBox); a copy of the database alone, such as a backup, is not enough. Each purpose has
its own derived key, so that a text for one cannot be used for another. After a change of SECRET_KEY, the old
key in SECRET_KEY_FALLBACKS still decrypts older texts.
"""

from __future__ import annotations

from django.conf import settings
from nacl.encoding import RawEncoder, URLSafeBase64Encoder
from nacl.exceptions import CryptoError
from nacl.hash import blake2b
from nacl.secret import SecretBox


class WrongKey(Exception):
    """Locked under another SECRET_KEY, for another purpose, or damaged."""


def lock(text: str, *, purpose: str) -> str:
    return box(settings.SECRET_KEY, purpose).encrypt(text.encode(), encoder=URLSafeBase64Encoder).decode()


def unlock(locked: str, *, purpose: str) -> str:
    for secret in (settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)):
        try:
            return box(secret, purpose).decrypt(locked.encode(), encoder=URLSafeBase64Encoder).decode()
        except (CryptoError, ValueError):
            continue
    raise WrongKey(f"a text locked for {purpose!r} cannot be decrypted with any SECRET_KEY of this process")


def box(secret: str, purpose: str) -> SecretBox:
    """`purpose` has at most 16 bytes, which go into the hash."""
    key = blake2b(secret.encode(), digest_size=32, person=purpose.encode(), encoder=RawEncoder)
    return SecretBox(key)
