"""The part of a score that the organisers' own scorer makes: it is run on gold and one output.

In: a claimed score with a scorer, the output, and what the evaluator has read of both files. Out: checked
sums by unit for the metrics that the scorer declares; or `ScorerFailure`, whose message only organisers
read.
"""

from __future__ import annotations

from pathlib import Path

from evaluation import Comparison, ProfileError
from evaluation.scoring.reported import Reported, read_report, unit_sizes
from evaluation.scoring.units import Unit
from sharedtask.competition.scorer import declaration_of
from sharedtask.core import clock
from sharedtask.core.errors import ScorerFailure
from sharedtask.scorers.run import GOLD, METADATA, SYSTEM, metadata, run_scorer
from sharedtask.submissions.gold_cache import read_gold
from sharedtask.submissions.models import Score


def reported_counts(
    score: Score, output: Path, comparison: Comparison, unit: Unit, reference: str = ""
) -> Reported:
    """The scorer gets the reference that is best for the output by the evaluator's own metrics."""
    scorer, code = score.scorer, score.file.test_set.code
    assert scorer is not None
    sizes = unit_sizes(comparison, unit)
    files: dict[str, bytes | Path] = {
        METADATA: metadata(
            test_set=code, track=score.file.run.track, unit=unit, sizes=sizes, metrics=scorer.metrics
        ),
        GOLD: read_gold(score.gold, reference),
        SYSTEM: output,
    }
    try:
        report = run_scorer(scorer, run_id=score.public_id, files=files, in_progress=scores_in_progress())
        return read_report(report, declaration_of(scorer.entry), len(sizes))
    except ProfileError as error:
        raise ScorerFailure(f"{code}: scorer {scorer.number}: scores.json: {error}") from error
    except ScorerFailure as failure:
        # It says everything, and has the log, which organisers would otherwise read twice.
        raise ScorerFailure(f"{code}: scorer {scorer.number}: {failure}") from None


def scores_in_progress() -> set[str]:
    """The ids of scores that a worker holds now; containers of all others are left over."""
    claimed = Score.objects.waiting().by_image().filter(claimed_until__gt=clock.database_now())
    return set(claimed.exclude(claimed_by="").values_list("public_id", flat=True))
