"""Standings read back from their arrays say the same as the standings that the arrays were made from."""

from __future__ import annotations

import pytest

from evaluation.ranking.details import Details, build_details
from evaluation.ranking.document import build_document
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.standings import Rules, Standings, compute_standings
from evaluation.ranking.stored import StoredStandings, stored_standings
from tests.evaluation.toy import random_campaign

MAIN = ("LAS", "CLAS")


def standings_by(rules: Rules) -> Standings:
    sizes = {"en_a": 29, "en_b": 34, "kk": 1, "ug": 23}
    return compute_standings(random_campaign(5, systems=5, sets=sizes, missing=[(4, "kk"), (2, "ug")]), rules)


class Stored:
    """What is stored of a standing, as bytes."""

    def __init__(self, standings: Standings, withdrawn: Standings | None = None) -> None:
        self.pairs: dict[str, bytes] = {}
        self.details = build_details(standings, MAIN, withdrawn, keep=self.keep).to_bytes()

    def keep(self, column: str, pairs: Pairs) -> None:
        self.pairs[column] = pairs.to_bytes()


def read_back(standings: Standings, stored: Stored) -> StoredStandings:
    return stored_standings(
        Details.from_bytes(stored.details),
        list(standings.results.systems),
        lambda column: Pairs.from_bytes(stored.pairs[column]),
        profile=standings.results.profile,
        sets=standings.results.sets,
        rules=standings.rules,
        signature=standings.signature("+".join(MAIN)),
    )


@pytest.mark.parametrize(
    "rules",
    [
        Rules(replicates=400),
        Rules(replicates=400, missing="exclude"),
        Rules(replicates=400, baselines=frozenset({"S1"}), number_baselines=False),
        Rules(replicates=400, test="one-sided"),
        Rules(replicates=20),
        Rules(replicates=0),
    ],
    ids=["all", "exclude", "unnumbered", "one-sided", "too few replicates", "no replicates"],
)
def test_the_document_is_the_same_to_the_last_digit(rules: Rules) -> None:
    standings = standings_by(rules)
    read = read_back(standings, Stored(standings))
    assert build_document(read, MAIN) == build_document(standings, MAIN)


def test_withdrawn_systems_have_figures_and_no_rank() -> None:
    standings = standings_by(Rules(replicates=100))
    results = standings.results
    ranked = compute_standings(results.subset(systems=["S0", "S1", "S2"]), Rules(replicates=100))
    withdrawn = compute_standings(results.subset(systems=["S3", "S4"]), Rules(replicates=0))
    arrays = Stored(ranked, withdrawn)
    assert build_document(read_back(ranked, arrays), MAIN) == build_document(ranked, MAIN)
    before = build_document(withdrawn, MAIN)["systems"]
    after = build_document(read_back(withdrawn, arrays), MAIN)["systems"]
    for system in before:
        for place in (system, *system["rankings"].values()):
            place["rank"] = None
    assert after == before
