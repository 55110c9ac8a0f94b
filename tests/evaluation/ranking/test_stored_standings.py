"""Standings read back from their arrays say the same as the standings that the arrays were made from."""

from __future__ import annotations

import pytest

from evaluation.ranking.details import Details, build_details
from evaluation.ranking.document import build_document
from evaluation.ranking.standings import Rules, Standings, compute_standings
from evaluation.ranking.stored import StoredStandings, stored_standings
from tests.evaluation.toy import random_campaign

MAIN = ("LAS", "CLAS")


def standings_by(rules: Rules) -> Standings:
    return compute_standings(random_campaign(5, systems=5, missing=[(4, "kk"), (2, "ug")]), rules)


def read_back(standings: Standings, arrays: Details) -> StoredStandings:
    return stored_standings(
        Details.from_bytes(arrays.to_bytes()),
        list(standings.results.systems),
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
        Rules(replicates=20),
        Rules(replicates=0),
    ],
    ids=["all", "exclude", "unnumbered", "too few replicates", "no replicates"],
)
def test_the_document_is_the_same_to_the_last_digit(rules: Rules) -> None:
    standings = standings_by(rules)
    read = read_back(standings, build_details(standings, MAIN))
    assert build_document(read, MAIN) == build_document(standings, MAIN)


def test_withdrawn_systems_have_figures_and_no_rank() -> None:
    standings = standings_by(Rules(replicates=100))
    results = standings.results
    ranked = compute_standings(results.subset(systems=["S0", "S1", "S2"]), Rules(replicates=100))
    withdrawn = compute_standings(results.subset(systems=["S3", "S4"]), Rules(replicates=0))
    arrays = build_details(ranked, MAIN, withdrawn)
    assert build_document(read_back(ranked, arrays), MAIN) == build_document(ranked, MAIN)
    before = build_document(withdrawn, MAIN)["systems"]
    after = build_document(read_back(withdrawn, arrays), MAIN)["systems"]
    for system in before:
        for place in (system, *system["rankings"].values()):
            place["rank"] = None
    assert after == before
