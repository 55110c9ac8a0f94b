"""Corrupted CoNLL-U files: a part of `make fuzz` (`tests/fuzz.py`).

Each case draws a pair of files and corrupts one of them. The evaluator must report incidents or compute
scores, and agree with the reference implementation on both.
"""

from __future__ import annotations

from tests.evaluation import hostile
from tests.machinery.fuzzing import MEBIBYTE, Part


def check_case(number: int) -> str:
    return "valid" if hostile.check_case(number) else "invalid"


PART = Part(name="conllu", check=check_case, memory_bytes=64 * MEBIBYTE)
