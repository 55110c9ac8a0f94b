"""The tables of an overview paper in every format, with malicious names of systems."""

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evaluation.ranking import render
from evaluation.ranking.results import Results
from evaluation.ranking.standings import Rules, Standings, compute_standings
from evaluation.ranking.tables import Column, Table, all_tables, by_test_set, neighbours, ranking
from tests.evaluation.toy import campaign, random_campaign
from tests.machinery.latex import compile_paper

HOSTILE = (
    r"\input{/etc/passwd} & 100% $x_1^2$ #1 {",
    "<script>alert('1')</script>",
    '=HYPERLINK("http://evil.example","x")',
    "a|b `code` **bold** [link](http://evil.example) @all",
    "line\nend\r\x1b[31mred\x07",
    "[starts with a bracket]",
    "* starts with a star",
    "~tilde^hat --dashes-- \"quotes\" ''",
    "right\u202eto left",
)
WORLD = ("Koç University (İstanbul)", "ÚFAL – UDPipe 1.2", "Orange – Deskiñ", "OpenU NLP Lab (Ra'anana)")


def hostile_table() -> Table:
    names = (*HOSTILE, *WORLD)
    rows = tuple((name, str(number), name) for number, name in enumerate(names))
    columns = (Column("System", numeric=False), Column("95% & more"), Column("Next", numeric=False))
    return Table("hostile-table", "100 % <b>\\caption</b> & more_of $it$", columns, rows, frozenset({0, 3}))


@pytest.fixture(scope="module")
def standings() -> Standings:
    return compute_standings(
        random_campaign(1, missing=[(0, "kk")]), Rules(replicates=400, baselines=frozenset({"S1"}))
    )


def test_a_campaign_has_all_tables_of_the_overview_paper(standings: Standings) -> None:
    tables = all_tables(standings, ("LAS",))
    assert [table.name for table in tables] == [
        "ranking-las",
        "ranking-clas",
        "segmentation",
        "morphology",
        "ranking-las-big",
        "ranking-las-pud",
        "ranking-las-small",
        "ranking-las-language-en",
        "test-sets",
        "neighbours",
        "metrics",
    ]
    for table in tables:
        assert table.rows and all(len(row) == len(table.columns) for row in table.rows), table.name


def test_the_ranking_shows_intervals_ranges_baselines_and_what_is_missing(standings: Standings) -> None:
    table = ranking(standings, "LAS")
    assert [column.head for column in table.columns] == [
        "Rank", "System", "LAS", "95% interval", "Ranks", "Valid files",
    ]  # fmt: skip
    places = standings.ranking("LAS")
    named = [f"{place.system} (baseline)" if place.baseline else place.system for place in places]
    assert [row[1] for row in table.rows] == named
    assert "S1 (baseline)" in named
    assert {row[1]: row[5] for row in table.rows}["S0"] == "3 of 4"
    low, high = standings.interval("S3", "LAS") or (0, 0)
    assert table.rows[0][2:4] == (f"{100 * places[0].f1:.2f}", f"{100 * low:.2f}–{100 * high:.2f}")
    assert table.lines == {number for number, place in enumerate(places) if place.line_below}
    assert "macro-averaged over 4 test sets." in table.caption
    assert "over 2 test sets of group big." in ranking(standings, "LAS", "big").caption
    assert "over 2 test sets of language en." in ranking(standings, "LAS", "language:en").caption


def test_test_sets_name_their_winners() -> None:
    results = campaign(
        {
            "Ash": {"he": [(10, 10, 8)], "kk": [(10, 10, 2)], "zh": None},
            "Elm": {"he": [(10, 10, 6)], "kk": [(10, 10, 2)], "zh": None},
            "Oak": {"he": None, "kk": "broken", "zh": "broken"},
        }
    )
    table = by_test_set(compute_standings(results, Rules(replicates=0)), "LAS")
    deviation = f"{100 * 0.02**0.5:.2f}"
    assert table.rows == (
        ("1", "he", "80.00", "Ash", "80.00", "Ash", "80.00", "80.00", "70.00", deviation),
        ("2", "kk", "20.00", "Ash, Elm", "20.00", "Ash, Elm", "20.00", "20.00", "20.00", "0.00"),
        ("3", "zh", "–", "–", "–", "–", "–", "–", "–", "–"),
    )


def test_the_table_of_neighbours_names_decisive_test_sets() -> None:
    results = campaign(
        {"Ash": {"he": [(10, 10, 9)], "kk": [(10, 10, 4)]}, "Elm": {"he": [(10, 10, 6)], "kk": [(10, 10, 5)]}}
    )
    table = neighbours(compute_standings(results, Rules(replicates=400)), "LAS")
    assert table.rows == (("Ash", "Elm", "10.00", "0.0050", "0.0050", "1/0/1", "he"),)


def test_conll18_has_three_rankings_of_equal_standing() -> None:
    names = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS")
    assert names == Results(profile="conll18", sets=(), systems={}).metrics[:10]
    empty = compute_standings(Results(profile="conll18", sets=(), systems={}), Rules())
    tables = [table.name for table in all_tables(empty, ("LAS", "MLAS", "BLEX"))]
    assert tables[:4] == ["ranking-las", "ranking-mlas", "ranking-blex", "ranking-clas"]


def test_html_shows_hostile_names_as_text() -> None:
    class Cells(HTMLParser):
        def __init__(self) -> None:
            super().__init__(convert_charrefs=True)
            self.tags: set[str] = set()
            self.cells: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags.add(tag)
            if tag in ("td", "th"):
                self.cells.append("")

        def handle_data(self, data: str) -> None:
            if self.cells:
                self.cells[-1] += data

    parsed = Cells()
    parsed.feed(render.as_html(hostile_table()))
    assert parsed.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    result = [cell.strip() for cell in parsed.cells[3:]][::3]
    assert result[:4] == list(HOSTILE[:4])
    assert result[4:9] == ["line?end??[31mred?", *HOSTILE[5:8], "right?to left"]
    assert render.as_html(hostile_table()).count('<tr class="line">') == 2


def test_csv_comes_back_and_holds_no_formula() -> None:
    rows = list(csv.reader(io.StringIO(render.as_csv(hostile_table()))))
    assert rows[0] == ["System", "95% & more", "Next", "Significantly better than next"]
    for name, row in zip((*HOSTILE, *WORLD), rows[1:], strict=True):
        assert row[0] == (f"'{name}" if name.startswith("=") else name)
    assert [row[3] for row in rows[1:6]] == ["yes", "no", "no", "yes", "no"]


def test_markdown_keeps_its_columns_and_makes_no_links() -> None:
    lines = render.as_markdown(hostile_table()).splitlines()
    body = lines[4:]
    assert len(body) == len(HOSTILE) + len(WORLD)
    for line in [lines[2], *body]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 5
    joined = "\n".join(body)
    assert not re.search(r"<|://|www\.|(?<!\\)[`*\[]|@", joined)


def test_text_lets_no_control_codes_through_and_lines_up_wide_characters() -> None:
    written = render.as_text(hostile_table())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", written)
    columns = (Column("System", numeric=False), Column("LAS"))
    table = Table("t", "Caption.", columns, (("北京", "1.00"), ("Praha", "10.00")), frozenset({0, 1}))
    assert render.as_text(table) == (
        "Caption.\n\nSystem    LAS\n-------------\n北京     1.00\n-------------\nPraha   10.00\n"
    )


def test_latex_escapes_what_tex_would_obey() -> None:
    written = render.as_latex(hostile_table())
    assert r"\textbackslash{}input\{/etc/passwd\} \& 100\% \$x\_1\textasciicircum{}2\$ \#1 \{" in written
    assert "\n{[}starts with a bracket{]} &" in written
    assert "\n{*} starts with a star &" in written
    assert "-{}-dashes-{}- " in written
    assert "ÚFAL -- UDPipe 1.2" in written
    assert render.latex_text("Spearman's ρ, Cohen's κ, α −1 †") == (
        r"Spearman's $\rho$, Cohen's $\kappa$, $\alpha$ $-$1 \dag{}"
    )
    assert written.count(r"\midrule") == 3


def test_latex_compiles_as_it_is_pasted(tmp_path: Path, standings: Standings) -> None:
    tables = "\n".join(
        render.as_latex(table) for table in (hostile_table(), *all_tables(standings, ("LAS",)))
    )
    for encoding in ("OT1", "T1"):
        compile_paper(tables, tmp_path, encoding=encoding)


def test_a_table_of_many_columns_fits_on_the_page(tmp_path: Path) -> None:
    columns = (Column("System", numeric=False), *(Column(f"Metric{number}") for number in range(24)))
    table = Table("wide", "Caption.", columns, (("Praha", *["100.00"] * 24),))
    assert "Overfull" not in compile_paper(render.as_latex(table), tmp_path)


@pytest.mark.parametrize("figures", [7, 12])
def test_a_table_of_long_cells_fits_on_the_page(tmp_path: Path, figures: int) -> None:
    columns = (Column("System", numeric=False), *(Column("95% interval") for _ in range(figures)))
    table = Table(
        "long", "Caption.", columns, (("Univerzita Karlova (Beam)", *["[100.0, 100.0]"] * figures),)
    )
    assert "Overfull" not in compile_paper(render.as_latex(table), tmp_path)
