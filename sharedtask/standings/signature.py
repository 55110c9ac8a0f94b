"""The signature of a standing as readers see it, and of each table that is made from it.

In: a standing, whether its gold is released, and which metric and test sets a table shows. Out: one line. A
standing never changes, but what may be said of gold does: before its release the hash of gold is shown only
as an HMAC under a key of this server. Both forms are stored with the standing, for every scope and test set,
so that a signature follows the release and nothing has to be computed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.utils.crypto import salted_hmac

from evaluation.ranking.results import EVERYTHING, GoldSet
from evaluation.signature import gold_hash, narrow_signature
from sharedtask.standings.models import Standing
from sharedtask.standings.table_scopes import codes_by_scope

SET = "set:"
"""Before the code of a test set: the scope of a table of this set alone."""
SEALED, RELEASED = range(2)


def gold_hash_key() -> bytes:
    """Of the HMAC that replaces the hash of gold until it is released."""
    return salted_hmac("competition.gold", "standings", algorithm="sha256").digest()


def gold_hashes(sets: Iterable[GoldSet], scopes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """By scope, and by test set: the hash of its gold before and after the release."""
    sha256 = {gold.code: gold.sha256 for gold in sets}
    alone = {SET + code: [code] for code in sha256}
    key = gold_hash_key()

    def both(codes: Sequence[str]) -> list[str]:
        gold = {code: sha256[code] for code in codes}
        return [gold_hash(gold, key), gold_hash(gold)]

    return {scope: both(codes) for scope, codes in {**scopes, **alone}.items()}


def signature_of(standing: Standing, *, is_released: bool, metric: str = "", scope: str = EVERYTHING) -> str:
    """Without a metric, of the whole standing, which is ranked by each of its main metrics."""
    table = standing.table
    codes = [scope.removeprefix(SET)] if scope.startswith(SET) else codes_by_scope(table)[scope]
    return narrow_signature(
        standing.signature,
        gold=table["gold_hashes"][scope][RELEASED if is_released else SEALED],
        metric=metric,
        scope="" if scope == EVERYTHING else scope,
        codes=codes,
    )
