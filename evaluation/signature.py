"""The signature: one line that says how to reproduce a figure.

Figures are comparable only if their signatures are equal.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection, Mapping

from .scoring.options import VERBS, Options
from .scoring.profile import Profile
from .scoring.profiles import find_profile
from .version import VERSION

_DIGITS = 16


def signature(*, profile: str | Profile, options: Options, gold_sha256: str, **more: str | int) -> str:
    """Profile, options, gold, version, and everything else a figure depends on, as `key:value|key:value`."""
    return _join(profile, options, gold_sha256[:_DIGITS], more)


def campaign_signature(
    *,
    profile: str | Profile,
    options: Options,
    metric: str,
    gold: Mapping[str, str],
    scopes: Mapping[str, tuple[str, ...]],
    missing: str,
    unit: str,
    replicates: int,
    seed: int,
    test: str,
    baselines: str,
    runs: str,
    track: str = "",
    key: bytes | None = None,
) -> str:
    """Everything that the figures of a campaign depend on.

    `gold` gives the hash of each test set's gold file, `scopes` the test sets of each average. Before gold is
    released its hash is given only as an HMAC under `key`: nobody without the key can verify a leaked file.
    """
    more: dict[str, str | int] = {
        "sets": _sets(gold),
        "groups": _hash(scopes)[:_DIGITS],
        "metric": metric,
        "missing": missing,
        "unit": unit,
        "replicates": replicates,
        "seed": seed,
        "test": test,
        "baselines": baselines,
        "runs": runs,
    }
    if track:
        more["track"] = track
    return _join(profile, options, gold_hash(gold, key), more)


def combined_hash(sha256: str, references: Mapping[str, str]) -> str:
    """One hash for a gold file and its further references, given by name: that of the file if it has none."""
    return _hash({"": sha256, **references}) if references else sha256


def gold_hash(gold: Mapping[str, str], key: bytes | None = None) -> str:
    """One hash for the gold files of several test sets; with a key an HMAC, which nobody else can verify."""
    combined = _hash(dict(sorted(gold.items())))
    if key is None:
        return combined[:_DIGITS]
    return "hmac-" + hmac.new(key, combined.encode(), "sha256").hexdigest()[:_DIGITS]


def narrow_signature(
    signature: str, *, gold: str, metric: str = "", scope: str = "", codes: Collection[str] = ()
) -> str:
    """The signature of one table of a campaign, by one metric and over the test sets of one scope.

    `gold` is the `gold_hash` of these test sets. Without a metric or a scope, it stays that of the campaign.
    """
    name, *parts = signature.split("|")
    fields = dict(part.split(":", 1) for part in parts)
    fields["gold"] = gold
    if metric:
        fields["metric"] = metric
    if scope:
        fields["sets"] = _sets(codes)
        # The groups of other test sets are nothing that this table depends on.
        fields = {"scope" if key == "groups" else key: value for key, value in fields.items()}
        fields["scope"] = scope
    return "|".join([name, *(f"{key}:{value}" for key, value in fields.items())])


def _sets(codes: Collection[str]) -> str:
    return f"{len(codes)}-{_hash(sorted(codes))[:_DIGITS]}"


def _join(profile: str | Profile, options: Options, gold: str, more: Mapping[str, str | int]) -> str:
    profile = find_profile(profile)
    parts = {
        "profile": profile.name,
        "punctuation": options.punctuation,
        "subtypes": "kept" if options.subtypes else "cut",
        **_choices(profile, options),
        "gold": gold,
        **more,
        "version": VERSION,
    }
    return "|".join(["arboretum", *(f"{key}:{value}" for key, value in parts.items())])


def _choices(profile: Profile, options: Options) -> dict[str, str]:
    """What only some figures depend on: it is there only if it differs from what is usual."""
    choices = {"profile-version": profile.version} if profile.version else {}
    if options.verbs != VERBS:
        choices["verbs"] = "+".join(options.verbs)
    if options.reader and options.reader != profile.format.name:
        choices["reader"] = options.reader
    return choices


def _hash(value: object) -> str:
    """The hash of a list or a mapping of strings."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
