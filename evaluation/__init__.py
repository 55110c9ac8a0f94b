"""Read, check, align, score and compare CoNLL-U files.

>>> gold = b"1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
>>> score(gold, gold, profile="conll17").metrics["LAS"].f1
1.0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .reading.formats import FORMATS, Format
from .reading.incidents import Incident, InvalidFile, Report
from .reading.kinds import KINDS, explain
from .reading.read import read
from .reading.source import Limits
from .reading.treebank import Treebank
from .scoring.align import Alignment, align
from .scoring.compare import Comparison
from .scoring.counts import Counts, counts_by_unit
from .scoring.metric import CountMetric, SpanMetric, TableMetric, Units, WordMetric
from .scoring.options import Options
from .scoring.presentation import Presentation
from .scoring.profile import Profile, ProfileError
from .scoring.profiles import PROFILES
from .scoring.score import InvalidGold, Score, compare, score
from .scoring.table import Table
from .scoring.tally import Tally
from .version import VERSION

if TYPE_CHECKING:
    from .client.client import Client
    from .client.errors import ClientError
    from .ranking import aggregate
    from .reading.raw_text import raw_text
    from .scoring.breakdown import break_down
    from .scoring.by_sentence import figures_by_sentence
    from .scoring.validate import check_test_set, validate

__all__ = [
    "FORMATS",
    "KINDS",
    "PROFILES",
    "VERSION",
    "Alignment",
    "Client",
    "ClientError",
    "Comparison",
    "CountMetric",
    "Counts",
    "Format",
    "Incident",
    "InvalidFile",
    "InvalidGold",
    "Limits",
    "Options",
    "Presentation",
    "Profile",
    "ProfileError",
    "Report",
    "Score",
    "SpanMetric",
    "Table",
    "TableMetric",
    "Tally",
    "Treebank",
    "Units",
    "WordMetric",
    "aggregate",
    "align",
    "break_down",
    "check_test_set",
    "compare",
    "counts_by_unit",
    "explain",
    "figures_by_sentence",
    "raw_text",
    "read",
    "score",
    "validate",
]

# What scoring does not need is imported when it is used, so that the command starts sooner.
_IMPORTED_LATER = {
    "Client": ".client.client",
    "ClientError": ".client.errors",
    "break_down": ".scoring.breakdown",
    "check_test_set": ".scoring.validate",
    "figures_by_sentence": ".scoring.by_sentence",
    "raw_text": ".reading.raw_text",
    "validate": ".scoring.validate",
}


def __getattr__(name: str) -> Any:
    if name == "aggregate":
        return import_module(".ranking.aggregate", __name__)
    if name not in _IMPORTED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_IMPORTED_LATER[name], __name__), name)
