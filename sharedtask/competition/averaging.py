"""How the figures of several test sets become one, in words: the profile says how."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation import Presentation
from evaluation.ranking.averaging import averaging_by
from evaluation.scoring.profiles import definitions
from sharedtask.competition.metrics import options_of, profile_of
from sharedtask.competition.models import Task


@dataclass(frozen=True, kw_only=True)
class AveragingText:
    adjective: str
    """Before the name of a figure."""
    noun: str
    explanation: str
    """Completes the sentence “F1, …”."""


TEXTS = {
    "figures": AveragingText(
        adjective="macro-averaged",
        noun="macro-average",
        explanation="averaged over the test sets with equal weight",
    ),
    "precision-recall": AveragingText(
        adjective="macro-averaged (precision and recall first)",
        noun="harmonic mean of macro-averaged precision and recall",
        explanation="from precision and recall, each averaged over the test sets with equal weight",
    ),
    "micro": AveragingText(
        adjective="micro-averaged",
        noun="micro-average",
        explanation="of all test sets together, so that large ones have more weight",
    ),
}


def missing_policy_by(policy: Task.MissingPolicy, presentation: Presentation) -> Task.MissingPolicy:
    """What holds for a metric: where lower is better, 0 would be a reward, so that nothing counts as 0."""
    return Task.MissingPolicy.EXCLUDE if presentation.better == "lower" else policy


def averaging_text(task: Task, metric: str) -> AveragingText:
    profile = profile_of(task)
    definition = definitions(profile, options_of(task)).get(metric)
    # A metric of an earlier version of the profile may be gone.
    return TEXTS[averaging_by(profile, definition) if definition else profile.averaging]
