"""Counts in the memory of the process are those of the experiment that is asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.cascades.results import counts_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_rows_of_another_database_with_the_same_keys_have_their_own_counts(
    start: Callable[..., Experiment], run_all: Callable[[Experiment], Experiment]
) -> None:
    """A restored or emptied database gives out keys again."""
    experiment = run_all(start())
    first, second = experiment.sets.all()
    assert not np.array_equal(counts_of(first).counts, counts_of(second).counts)
    Experiment.objects.filter(pk=experiment.pk).update(public_id="another-one")
    ExperimentSet.objects.filter(pk=first.pk).update(counts=counts_of(second).to_bytes())
    restored = counts_of(ExperimentSet.objects.get(pk=first.pk))
    assert np.array_equal(restored.counts, counts_of(second).counts)
