"""Secrets that the site has to read again itself: locked on their way into the database.

In: a text and what it is for. Out: a text that only a process with the site's SECRET_KEY can open (XSalsa20-
Poly1305, PyNaCl's SecretBox). A copy of the database alone, a backup say, opens nothing. The key is derived
for each purpose, so that a text locked for one cannot be passed off as another's. When SECRET_KEY is changed
its predecessor, kept in SECRET_KEY_FALLBACKS, still opens what it locked.
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
    raise WrongKey(f"what was locked for {purpose!r} opens with no SECRET_KEY that this process has")


def box(secret: str, purpose: str) -> SecretBox:
    """`purpose` has at most 16 bytes, which the hash mixes in."""
    key = blake2b(secret.encode(), digest_size=32, person=purpose.encode(), encoder=RawEncoder)
    return SecretBox(key)
