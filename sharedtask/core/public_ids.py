"""Random public ids: what stands in an address instead of a primary key.

A sequential key would tell how many runs there are and invite guessing; a random one tells nothing.
"""

from __future__ import annotations

import secrets

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
LENGTH = 16


def new_public_id() -> str:
    """Sixteen letters and digits that cannot be misread (about 79 random bits)."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
