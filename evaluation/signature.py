"""One line that says how to get a figure again. Figures compare only where their signatures agree."""

from __future__ import annotations

from evaluation.compare import Options
from evaluation.version import VERSION


def signature(*, profile: str, options: Options, gold_sha256: str, **more: str | int) -> str:
    """Profile, options, gold, evaluator and whatever else a figure depends on: `key:value|key:value`."""
    parts: dict[str, str | int] = {
        "profile": profile,
        "punctuation": options.punctuation,
        "subtypes": "kept" if options.subtypes else "cut",
        "gold": gold_sha256[:16],
        **more,
        "version": VERSION,
    }
    return "|".join(["arboretum", *(f"{key}:{value}" for key, value in parts.items())])
