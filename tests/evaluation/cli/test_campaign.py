"""`campaign` from folders to files, with good and bad input."""

import argparse
import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import campaign
from evaluation.ranking import campaign as campaign_module
from tests.evaluation.small_files import conllu

Run = Callable[..., tuple[int, str, str]]


def sentence(words: int, wrong: int = 0, comment: str = "") -> str:
    """A chain of words, each the child of the one before, but of the last ones so many hang on the first."""
    heads = [0, *range(1, words - wrong), *[1] * wrong]
    lines = [f"{n} w{n} X {head} {'dep' if head else 'root'}" for n, head in enumerate(heads, 1)]
    return "\n".join([*([comment] if comment else []), *lines])


def file(*wrong: int, words: int = 8) -> bytes:
    """A sentence for each number, with so many wrong heads."""
    return conllu("\n\n".join(sentence(words, count) for count in wrong))


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Two test sets; Ash is better than Elm, and Oak has one file, which is invalid."""
    put(tmp_path / "gold", he=file(*[0] * 30), kk=file(*[0] * 12))
    put(tmp_path / "systems" / "Ash", he=file(*[1, 0] * 15), kk=file(*[0, 1, 1] * 4))
    put(tmp_path / "systems" / "Elm", he=file(*[2, 3] * 15), kk=file(*[1, 2, 4] * 4))
    put(tmp_path / "systems" / "Oak", he=b"1\tw1\n\n")
    return tmp_path


def put(folder: Path, **files: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for code, content in files.items():
        (folder / f"{code}.conllu").write_bytes(content)


@pytest.fixture
def run(folders: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command on the folders; exit code, standard output, standard error."""

    def started(*arguments: str) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser()
        campaign.add_parser(parser.add_subparsers())
        given = ["campaign", str(folders / "gold"), str(folders / "systems"), "--profile=conll17", *arguments]
        chosen = parser.parse_args(given)
        code = chosen.run(chosen)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return started


def as_json(run: Run, *arguments: str) -> Any:
    code, out, err = run("--format=json", *arguments)
    assert code == 0, err
    return json.loads(out)


def test_json_has_every_figure(run: Run, folders: Path) -> None:
    (folders / "groups.tsv").write_text("treebank\tgroup\nhe\tbig\nkk\tsmall\nzh\tbig\n")
    document = as_json(run, "--groups", str(folders / "groups.tsv"), "--replicates=200")
    assert document["signature"].startswith("arboretum|profile:conll17|")
    assert [(s["name"], s["rank"], s["rank_range"]) for s in document["systems"]] == [
        ("Ash", 1, [1, 1]),
        ("Elm", 2, [2, 2]),
        ("Oak", 3, [3, 3]),
    ]
    ash, _, oak = document["systems"]
    assert set(ash["macro"]) == {"all", "big", "small"}
    las = ash["macro"]["all"]["LAS"]
    he, kk = (16 - 1) / 16, (24 - 2) / 24
    assert las["f1"] == pytest.approx((he + kk) / 2)
    assert las["low"] < las["f1"] < las["high"]
    assert ash["macro"]["big"]["LAS"]["f1"] == pytest.approx(he)
    assert ash["treebanks"]["kk"]["status"] == "valid"
    assert ash["treebanks"]["kk"]["LAS"] == pytest.approx(kk)
    assert oak["treebanks"]["kk"] == {"status": "missing"}
    assert oak["treebanks"]["he"]["status"] == "invalid"
    assert "wrong-columns" in oak["treebanks"]["he"]["message"]
    pair = document["pairs"][0]
    assert {key: pair[key] for key in ("a", "b", "metric", "wins", "ties", "losses")} == {
        "a": "Ash", "b": "Elm", "metric": "LAS", "wins": 2, "ties": 0, "losses": 0,
    }  # fmt: skip
    assert document["test"] == "two-sided" and "|test:two-sided|" in document["signature"]
    assert pair["p"] == pytest.approx(2 / 201)
    assert pair["p_holm"] == pytest.approx(6 / 201)
    assert len(document["pairs"]) == 3


def test_too_few_replicates_leave_holms_p_empty_with_a_reason(run: Run) -> None:
    pair = as_json(run, "--replicates=50")["pairs"][0]
    assert pair["p_holm"] is None
    assert "at least 120 replicates" in pair["p_holm_reason"]


def test_without_replicates_there_are_no_intervals(run: Run) -> None:
    document = as_json(run, "--replicates=0")
    assert document["pairs"] == []
    assert document["systems"][0]["macro"]["all"]["LAS"]["low"] is None
    assert document["systems"][0]["rank"] == 1


def test_the_number_of_processes_changes_nothing(run: Run) -> None:
    assert as_json(run, "--replicates=600") == as_json(run, "--replicates=600", "--jobs=2")


def test_the_seed_and_the_policy_are_in_the_signature_and_count(run: Run) -> None:
    usual, other = as_json(run), as_json(run, "--seed=2", "--missing=exclude")
    assert "seed:1|" in usual["signature"] and "missing:zero" in usual["signature"]
    assert "seed:2|" in other["signature"] and "missing:exclude" in other["signature"]
    assert (
        usual["systems"][0]["macro"]["all"]["LAS"]["low"] != other["systems"][0]["macro"]["all"]["LAS"]["low"]
    )
    # Oak has no valid file, and so no average that could differ from another.
    differences = {(pair["a"], pair["b"]): pair["difference"] for pair in other["pairs"]}
    assert differences["Ash", "Oak"] is None and differences["Ash", "Elm"] > 0


def test_conll18_has_three_rankings(run: Run) -> None:
    document = as_json(run, "--profile=conll18", "--replicates=100")
    assert {pair["metric"] for pair in document["pairs"]} == {"LAS", "MLAS", "BLEX"}
    assert set(document["systems"][0]["rankings"]) == {"LAS", "MLAS", "BLEX"}


def test_another_metric_can_rank(run: Run) -> None:
    document = as_json(run, "--metric=UPOS", "--replicates=100")
    assert document["metric"] == "UPOS"
    assert [system["rank"] for system in document["systems"]] == [1, 1, 3]


def test_compressed_files_count_like_plain_ones(run: Run, folders: Path) -> None:
    before = as_json(run, "--replicates=100")
    for place, ending, pack in (
        ("gold/he", ".gz", gzip.compress),
        ("systems/Ash/he", ".xz", lzma.compress),
        ("systems/Elm/kk", ".bz2", bz2.compress),
    ):
        plain = folders / f"{place}.conllu"
        Path(f"{plain}{ending}").write_bytes(pack(plain.read_bytes()))
        plain.unlink()
    assert as_json(run, "--replicates=100") == before


def test_a_second_run_scores_only_what_is_new(
    run: Run, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[int] = []
    really = campaign_module._outcome

    def counting(*arguments: Any) -> Any:
        scored.append(1)
        return really(*arguments)

    monkeypatch.setattr(campaign_module, "_outcome", counting)
    cache = f"--cache={folders / 'cache'}"
    first = as_json(run, cache)
    assert len(scored) == 5
    put(folders / "systems" / "Yew", he=file(*[4, 1] * 15))
    second = as_json(run, cache)
    assert len(scored) == 6
    assert [s["macro"] for s in second["systems"] if s["name"] == "Ash"] == [first["systems"][0]["macro"]]
    as_json(run, cache, "--punctuation=form")
    assert len(scored) == 12


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_damaged_entries_of_the_cache_are_scored_anew(run: Run, folders: Path, damage: bytes | None) -> None:
    cache = f"--cache={folders / 'cache'}"
    first = as_json(run, cache)
    entries = [path for path in (folders / "cache").rglob("*") if path.is_file()]
    assert len(entries) == 5
    whole = {path: path.read_bytes() for path in entries}
    for path in entries:
        path.write_bytes(whole[path][:-1] + b"\x00" if damage is None else damage)
    assert as_json(run, cache) == first
    assert {path: path.read_bytes() for path in entries} == whole


def test_a_cache_that_cannot_be_created_is_reported(run: Run, folders: Path) -> None:
    (folders / "cache").write_text("a file")
    code, _, err = run(f"--cache={folders / 'cache'}")
    assert code == 2
    assert "cannot be used as a cache" in err


def test_runs_are_combined_in_the_stated_order(run: Run, folders: Path) -> None:
    put(folders / "systems" / "Oak-again", he=file(*[5, 1] * 15), kk=file(*[3, 0, 1] * 4))
    (folders / "runs.tsv").write_text("Oak\tOak\tOak-again\n")
    document = as_json(run, "--runs", str(folders / "runs.tsv"))
    assert sorted(system["name"] for system in document["systems"]) == ["Ash", "Elm", "Oak"]
    oak = next(system for system in document["systems"] if system["name"] == "Oak")
    assert {code: treebank["run"] for code, treebank in oak["treebanks"].items()} == {
        "he": "Oak-again",
        "kk": "Oak-again",
    }
    assert "runs:first-valid" in document["signature"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("Oak\tnobody\n", "no folder found for the run nobody"),
        ("Oak\n", "runs.tsv:1: expected a new system and its runs"),
        ("Ash\tElm\n", "Ash is combined from runs, but a folder with this name also exists"),
    ],
)
def test_a_table_of_runs_that_makes_no_sense_is_refused(
    run: Run, folders: Path, table: str, message: str
) -> None:
    (folders / "runs.tsv").write_text(table)
    code, _, err = run("--runs", str(folders / "runs.tsv"))
    assert code == 2
    assert message in err


def test_baselines_are_marked_and_may_go_without_a_rank(run: Run) -> None:
    document = as_json(run, "--baseline=Elm", "--unnumbered", "--replicates=100")
    assert [(s["rank"], s["baseline"]) for s in document["systems"]] == [(1, False), (None, True), (2, False)]
    code, _, err = run("--baseline=nobody")
    assert code == 2
    assert "unknown system nobody; the systems are Ash, Elm, Oak" in err


def test_documents_are_drawn_where_gold_marks_enough_of_them(run: Run, folders: Path) -> None:
    marked = "\n\n".join(sentence(8, comment="# newdoc" if number % 2 == 0 else "") for number in range(42))
    system = "\n\n".join(sentence(8, number % 4) for number in range(42))
    unmarked = "\n\n".join(sentence(8) for _ in range(42))
    put(folders / "gold", zh=conllu(marked), tr=conllu(unmarked))
    put(folders / "systems" / "Ash", zh=conllu(system), tr=conllu(system))
    by_sentence, by_document = as_json(run, "--unit=sentence"), as_json(run)

    def interval(unit: str, code: str) -> tuple[float, float]:
        groups = f"--groups={folders / 'groups.tsv'}"
        (folders / "groups.tsv").write_text(f"{code}\tonly\n")
        las = as_json(run, groups, f"--unit={unit}")["systems"][0]["macro"]["only"]["LAS"]
        return las["low"], las["high"]

    assert "unit:document" in by_document["signature"] and "unit:sentence" in by_sentence["signature"]
    assert interval("sentence", "zh") != interval("document", "zh")
    # The other test sets mark no documents, and their sentences are drawn as before.
    assert interval("sentence", "tr") == interval("document", "tr") != (None, None)


def test_the_one_sided_test_of_conll_2017_is_an_option_that_the_tables_name(run: Run) -> None:
    document = as_json(run, "--replicates=200", "--test=one-sided")
    assert document["pairs"][0]["p"] == pytest.approx(1 / 201)
    assert document["test"] == "one-sided" and "|test:one-sided|" in document["signature"]
    _, table, _ = run("--replicates=200", "--test=one-sided")
    assert "one-sided p < 0.05" in table and "p: one-sided." in table


@pytest.mark.parametrize("format", ["table", "csv", "markdown", "latex", "html"])
def test_every_format_shows_every_system(run: Run, format: str) -> None:
    code, out, _ = run(f"--format={format}", "--replicates=100")
    assert code == 0
    assert all(name in out for name in ("Ash", "Elm", "Oak"))
    assert ("arboretum|profile:conll17|" in out) == (format != "csv")


def test_tables_can_be_chosen_and_written_to_files(run: Run, folders: Path) -> None:
    code, out, err = run(
        "--table=metrics", "--table=ranking-las", "--replicates=0", "-o", str(folders / "two.txt")
    )
    assert (code, out) == (0, "")
    assert (folders / "two.txt").read_text().startswith("Kendall's tau-b")
    (folders / "tables").mkdir()
    assert run("--format=latex", "--replicates=0", "-o", str(folders / "tables"))[0] == 0
    assert (folders / "tables" / "ranking-las.tex").read_text().startswith("% Needs")
    code, _, err = run("--table=nothing", "--replicates=0")
    assert code == 2
    assert "unknown table nothing; the tables are ranking-las, " in err


def test_an_output_that_cannot_be_written_is_reported(run: Run, folders: Path) -> None:
    code, _, err = run("--replicates=0", "-o", str(folders / "absent" / "out.txt"))
    assert code == 2
    assert "out.txt: cannot be written" in err


def test_unknown_names_are_pointed_out_and_ignored(run: Run, folders: Path) -> None:
    put(folders / "systems" / "Elm", kkk=file(1))
    (folders / "systems" / "Elm" / "notes.md").write_text("…")
    (folders / "systems" / "README").write_text("…")
    code, _, err = run("--replicates=0")
    assert code == 0
    assert "kkk.conllu: ignored, unknown test set kkk; did you mean kk?" in err
    assert "notes.md: ignored, not named <treebank>.conllu" in err
    assert "README: ignored, not a system folder" in err


def test_an_unreadable_file_is_invalid_and_named(run: Run, folders: Path) -> None:
    (folders / "systems" / "Oak" / "kk.conllu").mkdir()
    code, _, err = run("--replicates=0")
    assert code == 0
    assert "Oak: kk is invalid: The file cannot be read" in err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_invalid_gold_file_stops_everything(run: Run, folders: Path, jobs: str) -> None:
    put(folders / "gold", kk=b"1\tw1\n\n")
    code, out, err = run(f"--jobs={jobs}")
    assert (code, out) == (2, "")
    assert "A gold file is invalid" in err
    assert "kk.conllu:1" in err and "wrong-columns" in err


def test_folders_without_a_common_test_set_are_refused(run: Run, folders: Path) -> None:
    for path in (folders / "systems").rglob("*.conllu"):
        path.rename(path.with_name(f"old_{path.name}"))
    code, _, err = run()
    assert code == 2
    assert "no system has a file for any of the 2 test sets" in err and "(he, kk)" in err


@pytest.mark.parametrize(("emptied", "message"), [("gold", "no gold file"), ("systems", "no system found;")])
def test_empty_folders_are_refused(run: Run, folders: Path, emptied: str, message: str) -> None:
    (folders / emptied).rename(folders / "elsewhere")
    code, _, err = run()
    assert code == 2 and "cannot be read: No such file or directory" in err
    (folders / emptied).mkdir()
    code, _, err = run()
    assert code == 2 and message in err


def test_two_files_for_one_test_set_are_refused(run: Run, folders: Path) -> None:
    (folders / "systems" / "Ash" / "he.conllu.gz").write_bytes(b"")
    code, _, err = run()
    assert code == 2
    assert "he.conllu and he.conllu.gz are both for he; remove one" in err


def test_an_unknown_metric_lists_the_known_ones(run: Run) -> None:
    code, _, err = run("--metric=BLEU")
    assert code == 2
    assert "no metric BLEU; its metrics are Tokens, Sentences, Words" in err


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("he\n", "groups.tsv:1: expected treebank, group"),
        ("he\tall\n", "groups.tsv:1: 'all' is reserved"),
        ("he\t\tb\tc\n", "groups.tsv:1: expected"),
        (None, "groups.tsv: cannot be read"),
    ],
)
def test_a_bad_table_of_groups_is_refused(run: Run, folders: Path, table: str | None, message: str) -> None:
    if table is not None:
        (folders / "groups.tsv").write_text(table)
    code, _, err = run("--groups", str(folders / "groups.tsv"))
    assert code == 2
    assert message in err


def test_groups_may_overlap_and_languages_may_be_named(run: Run, folders: Path) -> None:
    (folders / "groups.tsv").write_text("he\tbig,\u00fcber\tone\nkk\tbig\tone\n", encoding="utf-8")
    document = as_json(run, "--groups", str(folders / "groups.tsv"), "--replicates=0")
    assert set(document["systems"][0]["macro"]) == {"all", "big", "über"}
    assert set(document["systems"][0]["languages"]) == {"one"}


def test_one_system_and_one_sentence_are_enough(tmp_path: Path, run: Run, folders: Path) -> None:
    for name in ("Elm", "Oak"):
        (folders / "systems" / name).rename(folders / name)
    put(folders / "gold", he=file(0), kk=file(0))
    put(folders / "systems" / "Ash", he=file(1), kk=file(3))
    document = as_json(run)
    (ash,) = document["systems"]
    las = ash["macro"]["all"]["LAS"]
    assert las["low"] == las["high"] == pytest.approx(las["f1"]) == pytest.approx(12 / 16)
    assert (ash["rank"], ash["rank_range"], document["pairs"]) == (1, [1, 1], [])


def test_progress_is_shown_on_a_terminal_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Scoring" not in run("--replicates=0")[2]
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert "5/5" in run("--replicates=0")[2]
