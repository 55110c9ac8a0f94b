"""Data of a task that participants download elsewhere: training and development data, models of the baseline.

In: the entries of `Task.downloads`. Out: the same in groups, in the order of the kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import models


class DownloadKind(models.TextChoices):
    TRAINING = "training", "Training data"
    DEVELOPMENT = "development", "Development data"
    BASELINE = "baseline", "Baseline models"
    OTHER = "other", "Other resources"


@dataclass(frozen=True, kw_only=True)
class DownloadGroup:
    label: str
    entries: Sequence[Mapping[str, str]]


def grouped_downloads(entries: Sequence[Mapping[str, str]]) -> list[DownloadGroup]:
    groups = [
        DownloadGroup(label=str(kind.label), entries=[entry for entry in entries if entry["kind"] == kind])
        for kind in DownloadKind
    ]
    return [group for group in groups if group.entries]


def is_web_address(url: str) -> bool:
    """No other scheme may become a link: `javascript:` would run a script."""
    return url.startswith(("https://", "http://")) and len(url.split()) == 1
