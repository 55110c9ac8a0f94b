"""Text that a spreadsheet could evaluate as a formula is written as text."""

from __future__ import annotations

import csv
import io

import pytest

from evaluation.ranking import render
from evaluation.ranking.spreadsheet import as_csv_text, looks_like_formula
from evaluation.ranking.tables.table import Column, Table, text_column

FORMULAS = [
    "=1+1",
    "+1",
    "-1+2",
    "@SUM(A1)",
    # Full width, small and raised forms, which some spreadsheets take for the plain ones.
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    "﹦1",
    "﹢1",
    "﹣1",
    "﹫SUM(A1)",
    "⁼1",
    "₊1",
    # Behind what cannot be seen.
    " =1",
    "\t=1",
    "\r=1",
    "\n＝1",
    "\u3000＝1",
    "\ufeff=1",
    "\u200b@SUM(A1)",
    "\x00=1",
    # A mark that would melt with the sign into another character.
    "=\u0338 1",
]
NAMES = ["", "Alder", "Alder-2", "C++", "a=b", "me@example.org", "1.5", "北京", "≠", "(＝)", "'quoted'", "–"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_is_recognised(name: str) -> None:
    assert looks_like_formula(name)
    assert as_csv_text(name) == f"'{name}"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_not_changed(name: str) -> None:
    assert not looks_like_formula(name)
    assert as_csv_text(name) == name


def test_heads_are_text_and_figures_stay_figures() -> None:
    columns = (text_column("＝System"), Column("=Group"))
    table = Table("t", "Caption.", columns, (("＝1+1", "-1.50"),))
    assert list(csv.reader(io.StringIO(render.as_csv(table)))) == [
        ["'＝System", "'=Group"],
        ["'＝1+1", "-1.50"],
    ]
