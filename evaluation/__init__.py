"""Read, check, align, score and compare CoNLL-U files.

>>> gold = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
>>> score(gold, gold, profile="conll17").metrics["LAS"].f1
1.0
"""

from .ranking import aggregate
from .reading.incidents import Incident, InvalidFile, Report
from .reading.kinds import KINDS, explain
from .reading.raw_text import raw_text
from .reading.read import read
from .reading.source import Limits
from .reading.treebank import Treebank
from .scoring.align import Alignment, align
from .scoring.compare import Options
from .scoring.counts import Counts, Tally, counts_by_unit
from .scoring.presentation import Presentation
from .scoring.profiles import PROFILES, Profile
from .scoring.score import InvalidGold, Score, compare, score
from .scoring.validate import check_test_set, validate
from .version import VERSION

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
