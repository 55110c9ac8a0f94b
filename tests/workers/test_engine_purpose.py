"""An engine is for software of teams or for scorers, and is recognised under another address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airlock.engine import SCORERS, TEAMS, Engine, OtherPurpose, connect
from sharedtask.scorers import engine as scorers
from tests.machinery.engines import forget_purpose
from workers.airlock import refuse_to_start_unsafely


@pytest.fixture(params=["docker_engine", "podman_engine"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """As if nothing had used it."""
    engine: Engine = request.getfixturevalue(request.param)
    for image_id in engine.image_ids():
        engine.remove_image(image_id)
    forget_purpose(engine)
    yield engine
    forget_purpose(engine)


@pytest.fixture
def second_address(engine: Engine, tmp_path: Path) -> str:
    link = tmp_path / "socket"
    link.symlink_to(engine.facts.url.removeprefix("unix://"))
    return f"unix://{link}"


@pytest.mark.parametrize(("first", "second"), [(TEAMS, SCORERS), (SCORERS, TEAMS)])
def test_it_keeps_the_purpose_that_it_had_first(
    first: str, second: str, engine: Engine, second_address: str
) -> None:
    engine.claim(first)
    engine.claim(first)
    again = connect(second_address)
    again.claim(first)
    with pytest.raises(OtherPurpose, match=f"{second_address} runs {first}, and cannot run {second} as well"):
        again.claim(second)
    again.close()
    assert engine.run_ids() == set(), "what remembers it belongs to no run, so that nothing removes it"


@pytest.mark.django_db
def test_the_engine_of_an_airlock_worker_without_any_image_is_refused_to_scorers(
    engine: Engine, second_address: str, settings: Any
) -> None:
    settings.AIRLOCK_ENGINE, settings.GOLD_PRIVATE_KEY_FILE = engine.facts.url, ""
    refuse_to_start_unsafely()
    assert engine.image_ids() == set()
    settings.AIRLOCK_ENGINE, settings.SCORER_ENGINE = "", second_address
    with pytest.raises(scorers.SharedEngine, match="runs software of teams"):
        scorers.connect_engine()


@pytest.mark.django_db
def test_the_engine_of_scorers_is_refused_to_an_airlock_worker(
    engine: Engine, second_address: str, settings: Any
) -> None:
    settings.SCORER_ENGINE = engine.facts.url
    scorers.connect_engine().close()
    settings.AIRLOCK_ENGINE, settings.SCORER_ENGINE, settings.GOLD_PRIVATE_KEY_FILE = second_address, "", ""
    with pytest.raises(SystemExit, match="runs scorers, and cannot run software of teams as well"):
        refuse_to_start_unsafely()
