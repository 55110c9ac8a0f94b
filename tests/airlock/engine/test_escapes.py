"""The escape suite in its small form, on both engines. `make escape` runs the full form."""

from __future__ import annotations

import pytest

from airlock.engine import Engine, preflight
from airlock.engine.attempts import EXCESSES, REFUSED


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docker", "podman"])
def test_nothing_escapes(kind: str, request: pytest.FixtureRequest) -> None:
    engine: Engine = request.getfixturevalue(f"{kind}_engine")
    # Other tests may have left images on the engine that they share.
    images = engine.image_ids()
    rows = list(preflight(engine))
    assert [f"{row.attempt}: {row.finding}" for row in rows if not row.contained] == []
    attempts = [row.attempt for row in rows]
    assert attempts[0] == "engine" and engine.facts.kind == kind
    assert set(REFUSED) | {excess.name for excess in EXCESSES} < set(attempts)
    assert engine.run_ids() == set()
    assert engine.image_ids() == images
