"""Tables on the page of a series, in the order that the address asks for; curves that look different."""

import pytest

from evaluation.ranking.tables.table import Column, Table, text_column
from sharedtask.curves.charts import MAX_CLASSES, style
from sharedtask.curves.sorting import sort_table

TABLE = Table(
    "classes",
    "Classes",
    (text_column("Class"), Column("Sentences")),
    (("b", "9.5"), ("a", "<5"), ("c", "1,200"), ("d", "–")),
)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", "bacd"),
        ("classes:0", "abcd"),
        ("-classes:0", "dcba"),
        ("classes:1", "abcd"),
        ("-classes:1", "dcba"),
        ("curves:1", "bacd"),
        ("classes:7", "bacd"),
        ("classes:-1", "bacd"),
        ("classes:²", "bacd"),
    ],
)
def test_rows_are_in_the_requested_order(sort: str, expected: str) -> None:
    assert "".join(row[0].text for row in sort_table(TABLE, sort).rows) == expected


def test_a_second_click_reverses_the_order() -> None:
    headings = sort_table(TABLE, "classes:1").headings
    assert [heading.next_sort for heading in headings] == ["classes:0", "-classes:1"]
    assert [heading.order for heading in headings] == ["", "ascending"]


def test_no_two_curves_of_a_chart_look_the_same_even_without_colour() -> None:
    styles = [style(number) for number in range(MAX_CLASSES + 1)]
    assert len({(each.colour, tuple(each.dash)) for each in styles}) == len(styles)
    assert len({(each.shape, tuple(each.dash)) for each in styles}) == len(styles)
