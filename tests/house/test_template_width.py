"""Templates are wrapped at a readable width."""

from __future__ import annotations

from tests.machinery.site import ROOT

MAX_WIDTH = 120


def test_lines_of_templates_are_not_too_long() -> None:
    files = [
        *(ROOT / "sharedtask" / "templates").rglob("*.html"),
        *(ROOT / "deploy" / "pages").glob("*.html"),
    ]
    too_long = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > MAX_WIDTH
    ]
    assert too_long == []
