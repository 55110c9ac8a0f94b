"""Which test sets each average of a standing covers.

In: the `table` of a standing. Out: codes by the name that the scope has in `Details`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.ranking.results import EVERYTHING, LANGUAGE


def codes_by_scope(table: Mapping[str, Any]) -> dict[str, list[str]]:
    test_sets = table["test_sets"]
    codes: dict[str, list[str]] = {EVERYTHING: [test_set["code"] for test_set in test_sets]}
    for test_set in test_sets:
        for scope in (*test_set["groups"], LANGUAGE + test_set["language"]):
            codes.setdefault(scope, []).append(test_set["code"])
    return codes
