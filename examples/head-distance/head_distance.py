"""A profile with a metric of its own: the mean distance, in words, of predicted heads from the right ones."""

import numpy as np
from arboretum import Comparison, Presentation, Profile, Table, TableMetric, Units, WordMetric

DISTANCE = Presentation(
    explanation="words between the right head and the predicted one",
    kind="words",
    better="lower",
    factor=1,
    digits=3,
)


def distances(comparison: Comparison, units: Units) -> Table:
    """Two sums by unit: the distances of all words, and the number of words. A root is its own head."""
    words, parents = np.arange(comparison.gold.words), []
    for treebank in (comparison.gold, comparison.system):
        parents.append(np.where(treebank.parent < 0, words, treebank.parent))
    every = np.concatenate([np.abs(parents[0] - parents[1]), np.ones_like(words)])
    return Table.from_items(
        ["all"],
        ["distance", "words"],
        units.number,
        unit=np.tile(units.gold["words"], 2),
        row=np.zeros_like(every),
        column=np.repeat([0, 1], len(words)),
        count=every,
    )


def mean(tables: np.ndarray) -> np.ndarray:
    """From the sums of one file or of many replicates to figures; the last two axes are rows and columns."""
    return tables[..., 0, 0] / np.maximum(tables[..., 0, 1], 1)


PROFILE = Profile(
    name="head-distance",
    version="1.0",
    title="Distance of heads",
    citation="An example",
    tokens_given=True,
    tables={"distances": distances},
    definitions={"Distance": TableMetric("distances", mean), "UAS": WordMetric(("head",))},
    main=("Distance",),
    secondary=("UAS",),
    breakdown=("UAS",),
    presentations={"Distance": DISTANCE, "UAS": Presentation(explanation="words with the correct head")},
)
