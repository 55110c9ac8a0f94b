"""The science of Arboretum: reading, checking, aligning and scoring CoNLL-U files.

>>> import evaluation
>>> gold = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
>>> evaluation.score(gold, gold, profile="conll17").metrics["LAS"].f1
1.0
"""

from evaluation.ranking import aggregate
from evaluation.reading.incidents import Incident, InvalidFile, Report
from evaluation.reading.kinds import KINDS, explain
from evaluation.reading.raw_text import raw_text
from evaluation.reading.read import read
from evaluation.reading.source import Limits
from evaluation.reading.treebank import Treebank
from evaluation.reading.validate import check_test_set, validate
from evaluation.scoring.align import Alignment, align
from evaluation.scoring.compare import Options
from evaluation.scoring.counts import Counts, Tally, counts_by_unit
from evaluation.scoring.presentation import Presentation
from evaluation.scoring.profiles import PROFILES, Profile
from evaluation.scoring.score import InvalidGold, Score, compare, score
from evaluation.version import VERSION

__all__ = [
    "KINDS",
    "PROFILES",
    "VERSION",
    "Alignment",
    "Counts",
    "Incident",
    "InvalidFile",
    "InvalidGold",
    "Limits",
    "Options",
    "Presentation",
    "Profile",
    "Report",
    "Score",
    "Tally",
    "Treebank",
    "aggregate",
    "align",
    "check_test_set",
    "compare",
    "counts_by_unit",
    "explain",
    "raw_text",
    "read",
    "score",
    "validate",
]
