"""The signature: one line that says how to get a figure again.

Figures compare only where signatures agree.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping

from .scoring.compare import Options
from .version import VERSION

_SHOWN = 16


def signature(*, profile: str, options: Options, gold_sha256: str, **more: str | int) -> str:
    """Profile, options, gold, evaluator, and whatever else a figure depends on, as `key:value|key:value`."""
    return _joined(profile, options, gold_sha256[:_SHOWN], more)


def campaign_signature(
    *,
    profile: str,
    options: Options,
    metric: str,
    gold: Mapping[str, str],
    scopes: Mapping[str, tuple[str, ...]],
    missing: str,
    unit: str,
    resamples: int,
    seed: int,
    baselines: str,
    runs: str,
    key: bytes | None = None,
) -> str:
    """Everything that the figures of a campaign depend on.

    `gold` gives the hash of each test set's gold file, `scopes` what is averaged over. Before gold is
    released its hash is shown only as an HMAC under `key`: nobody without it can confirm a leaked file.
    """
    together = _hash(dict(sorted(gold.items())))
    if key is None:
        shown = together[:_SHOWN]
    else:
        shown = "hmac-" + hmac.new(key, together.encode(), "sha256").hexdigest()[:_SHOWN]
    more: dict[str, str | int] = {
        "sets": f"{len(gold)}-{_hash(sorted(gold))[:_SHOWN]}",
        "groups": _hash(scopes)[:_SHOWN],
        "metric": metric,
        "missing": missing,
        "unit": unit,
        "resamples": resamples,
        "seed": seed,
        "baselines": baselines,
        "runs": runs,
    }
    return _joined(profile, options, shown, more)


def _joined(profile: str, options: Options, gold: str, more: Mapping[str, str | int]) -> str:
    parts = {
        "profile": profile,
        "punctuation": options.punctuation,
        "subtypes": "kept" if options.subtypes else "cut",
        "gold": gold,
        **more,
        "version": VERSION,
    }
    return "|".join(["arboretum", *(f"{key}:{value}" for key, value in parts.items())])


def _hash(listed: object) -> str:
    """The hash of a list or a table of strings."""
    written = json.dumps(listed, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()
