"""The API keeps to its OpenAPI document, whatever it is sent. `make contract` sends more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sharedtask.support import contract

ROLES = ("visitor", "participant", "organiser")


@pytest.mark.slow
def test_every_answer_conforms_and_none_is_a_server_error(
    on_postgres: dict[str, str], server: Callable[..., Any], tmp_path: Path
) -> None:
    key = Path(on_postgres["DATA_DIR"]) / "keys" / "gold.private"
    prepared = contract.prepare(on_postgres, key)
    url = server(on_postgres).url
    for role in ROLES:
        done = contract.check(url, prepared, role, examples=3, phases="fuzzing", folder=tmp_path)
        assert done.returncode == 0, f"{role}:\n{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
        assert "operations" in done.stdout.lower()
