"""Stored analyses are read as they were written, and nothing else is."""

from pathlib import Path

import pytest

from evaluation.curves.analyse import analyse
from evaluation.curves.attachments import read_attachments
from evaluation.curves.average import average
from evaluation.curves.folders import find_series
from evaluation.curves.stored import FORMAT, from_bytes, to_bytes
from evaluation.packing import pack
from tests.evaluation.drawn_series import draw_series


def test_analyses_are_read_as_they_were_written(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "b")):
        draw_series(tmp_path / name, number, systems={"x": 0.5, "y": 0.9})
    sets = [analyse(read_attachments(find_series(tmp_path / name)), scores={"z": 99.0}) for name in "ab"]
    analyses = [*(each.analysis for each in sets), average(sets, scores={"z": 99.0})]
    assert from_bytes(to_bytes(analyses)) == analyses


@pytest.mark.parametrize("stored", [b"", b"x", pack(FORMAT, {}, {}), pack(FORMAT, {}, {"analyses": ["{}"]})])
def test_anything_else_is_refused(stored: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        from_bytes(stored)
