"""Random public ids, which addresses contain instead of primary keys.

A sequential key would show how many runs there are and invite guessing; a random one shows nothing.
"""

from __future__ import annotations

import secrets

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
LENGTH = 16


def new_public_id() -> str:
    """Sixteen letters and digits that cannot be misread (about 79 random bits)."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
