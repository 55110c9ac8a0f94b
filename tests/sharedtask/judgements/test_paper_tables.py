"""Tables 1 to 7 of the paper: from the data of Plank et al. (2015), as LaTeX that compiles."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from evaluation.judgements.document import build_document
from evaluation.judgements.folder import analyse_folder
from evaluation.ranking.render import as_latex
from sharedtask.judgements.paper_tables import ALL, TITLES, Decision, paper_tables
from sharedtask.judgements.tables import VisibleAnalysis, result_tables
from tests.machinery.latex import compile_paper

HOSTILE = "50% & {\\input}_#1 [*]"


@pytest.fixture(scope="module")
def analyses(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[VisibleAnalysis]:
    """English as a test set and, for the layout, as all of them; with a name that TeX would obey."""
    folder = tmp_path_factory.mktemp("plank")
    with tarfile.open(shared_data / "plank2015" / "judgements.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    document = build_document(analyse_folder(folder / "en").analysis)
    chosen = {"malt": "first", "mst": "second"}
    for part in ("preference", "preference_intervals"):
        document[part] = {chosen[name]: value for name, value in document[part].items()}
    document["performance"] = {
        metric: {chosen[name]: value for name, value in scores.items()}
        for metric, scores in document["performance"].items()
    }
    return [
        VisibleAnalysis(pair=1, first="Malt", second=HOSTILE, test_set=code, document=document)
        for code in (ALL, "en")
    ]


def test_all_tables_compile_as_they_are_pasted_into_a_paper(
    analyses: list[VisibleAnalysis], tmp_path: Path
) -> None:
    decision = Decision(systems=analyses[0].label[0], test_set="en", tags=["root"])
    tables = paper_tables(analyses, ALL, [decision])
    assert [table.name for table in tables] == list(TITLES)
    details = [table for table in result_tables(analyses) if table.name != "items"]
    text = "\n".join(as_latex(table) for table in (*tables, *details))
    assert "0.547" in text and "0.715" in text, "LAS of English in Tables 4 and 5"
    compile_paper(text, tmp_path)
