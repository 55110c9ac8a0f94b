"""Files in CoNLL-X and in the nine columns of PASCAL 2012: read, checked, scored, shown and ranked."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

import evaluation
from evaluation import FORMATS, Options
from evaluation.cli import main
from evaluation.reading.layout import FEATS, UPOS, XPOS
from tests.evaluation.forests import draw_sentences, nine_columns, redraw, ten_columns

NINE = FORMATS["nine"]
WORD_9 = b"1\tHi\t_\tI\tIN\tINTJ\tx=y\t0\troot\n\n"
WORD_10 = b"1\tHi\t_\tI\tIN\t_\t0\troot\t_\t_\n\n"


def incidents(content: bytes, reader: str) -> list[tuple[str, int | None, str, str]]:
    report = evaluation.validate(content, profile="plank15", reader=reader)
    return [(i.id, i.line, i.found, i.expected) for i in report.incidents]


def test_the_nine_columns_are_read_into_those_of_conllu() -> None:
    treebank = evaluation.read(WORD_9, format=NINE)
    values = [treebank.column(column).text_at(0) for column in (UPOS, XPOS, FEATS)]
    assert values == ["INTJ", "IN", "x=y"]
    assert treebank.relations.names == ("root",)


def test_the_hash_is_that_of_the_file() -> None:
    assert evaluation.read(WORD_9, format=NINE).sha256 == hashlib.sha256(WORD_9).hexdigest()


def test_several_roots_are_allowed_and_cycles_are_not() -> None:
    line = "{}\tw\t_\tN\tN\tNOUN\t_\t{}\tdep\n"
    roots = (line.format(1, 0) + line.format(2, 0) + "\n").encode()
    cycle = (line.format(1, 2) + line.format(2, 1) + line.format(3, 0) + "\n").encode()
    assert incidents(roots, "nine") == []
    assert incidents(cycle, "nine") == [("cycle", 1, "1 → 2 → 1", "heads that lead to the root")]


def test_a_sentence_without_a_root_is_reported_by_its_cycle_where_several_roots_are_allowed() -> None:
    line = "{}\tw\t_\tN\tN\tNOUN\t_\t{}\tdep\n"
    rootless = (line.format(1, 2) + line.format(2, 3) + line.format(3, 2) + "\n").encode()
    assert incidents(rootless, "nine") == [("cycle", 2, "2 → 3 → 2", "heads that lead to the root")]


def test_nine_columns_where_ten_are_due_and_ten_where_nine_are() -> None:
    assert incidents(WORD_9, "conllx") == [("wrong-columns", 1, "9 columns", "10 columns")]
    assert incidents(WORD_10, "nine") == [("wrong-columns", 1, "10 columns", "9 columns")]
    assert incidents(b"x\n\n", "nine")[0] == ("wrong-columns", 1, "1 column", "9 columns")


@pytest.mark.parametrize(("reader", "word"), [("nine", WORD_9), ("conllx", WORD_10)])
def test_comments_ranges_and_empty_nodes_are_incidents(reader: str, word: bytes) -> None:
    title = FORMATS[reader].title
    assert incidents(b"# hello\n" + word, reader) == [
        ("comment-not-allowed", 1, "“# hello”", f"no comments, which {title} does not have")
    ]
    for id in ("1-2", "1.1"):
        ((kind, line, found, expected),) = incidents(id.encode() + word[1:], reader)[:1]
        assert (kind, line, found) == ("id-malformed", 1, f"“{id}”")
        assert expected == "a number, because the format has only words"


def test_given_tokens_must_be_kept() -> None:
    line = "{}\t{}\t_\t_\t_\t_\t_\t{}\t_\n"
    given = (line.format(1, "a", 0) + line.format(2, "b", 1) + "\n").encode()

    def check(system: str) -> list[tuple[int | None, str, str]]:
        report = evaluation.validate(system.encode(), profile="plank15", reader="nine", tokens=given)
        assert {i.id for i in report.incidents} <= {"tokens-differ"}
        return [(i.line, i.found, i.expected) for i in report.incidents]

    assert check(line.format(1, "a", 0) + line.format(2, "b", 0) + "\n") == []
    assert check(line.format(1, "a", 0) + line.format(2, "c", 1) + "\n") == [
        (2, "“c” as word 2 of sentence 1", "“b” as word 2 of sentence 1")
    ]
    assert check(line.format(1, "a", 0) + "\n" + line.format(1, "b", 0) + "\n") == [
        (3, "“b” as word 1 of sentence 2", "“b” as word 2 of sentence 1")
    ]
    assert check(line.format(1, "a", 0) + "\n") == [(1, "the end of the file", "“b” as word 2 of sentence 1")]


def test_both_formats_give_the_same_scores() -> None:
    source = random.Random(3)
    gold = draw_sentences(source)
    system = redraw(source, gold)
    nine = evaluation.score(nine_columns(gold), nine_columns(system), "plank15", options=_options("nine"))
    ten = evaluation.score(ten_columns(gold), ten_columns(system), "plank15", options=_options("conllx"))
    assert nine.metrics == ten.metrics
    assert "|reader:nine|" in nine.signature


def _options(reader: str) -> Options:
    return Options(punctuation="form", subtypes=True, reader=reader)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    source = random.Random(4)
    gold = draw_sentences(source)
    (tmp_path / "gold").mkdir()
    (tmp_path / "systems" / "Oak").mkdir(parents=True)
    paths = tmp_path / "gold" / "xx.conllu", tmp_path / "systems" / "Oak" / "xx.conllu"
    paths[0].write_bytes(nine_columns(gold))
    paths[1].write_bytes(nine_columns(redraw(source, gold)))
    return paths


@pytest.mark.parametrize("command", ["score", "diff", "report", "validate", "campaign"])
def test_every_command_reads_nine_columns(
    command: str, files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = map(str, files)
    arguments = {
        "score": [gold, system],
        "diff": [gold, system],
        "report": [gold, system, "-o", str(tmp_path / "page.html")],
        "validate": [system],
        "campaign": [str(files[0].parent), str(files[1].parents[1]), "--replicates", "20"],
    }[command]
    assert main([command, *arguments, "--profile", "plank15", "--reader", "nine"]) == 0
    output = capsys.readouterr().out + ((tmp_path / "page.html").read_text() if command == "report" else "")
    assert {"validate": "valid", "campaign": "Oak"}.get(command, "LAS") in output
    # Without the option the same files are invalid, and the message says what was expected.
    assert main([command, *arguments, "--profile", "plank15"]) in (1, 2)
    captured = capsys.readouterr()
    assert "10 columns" in captured.out + captured.err


@pytest.mark.parametrize("command", ["diff", "report"])
def test_files_without_trees_are_not_displayed(
    command: str, files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    arguments = [command, *map(str, files), *output, "--profile", "pascal12", "--reader", "nine-tags"]
    assert main(arguments) == 2
    assert capsys.readouterr().err == "Files read as nine-tags have no trees to compare.\n"


def test_several_roots_are_an_option_of_profiles_with_one_root() -> None:
    line = "{}\tw\t_\tX\t_\t_\t0\troot\t{}\t_\n"
    content = (line.format(1, "0:root") + line.format(2, "1:dep") + "\n").encode()
    unconnected = content.replace(b"1:dep", b"2:dep")

    def ids(content: bytes, reader: str) -> list[str]:
        report = evaluation.validate(content, profile="iwpt21", reader=reader)
        return [incident.id for incident in report.incidents]

    assert ids(content, "") == ids(content, "conllu") == ["several-roots"]
    assert ids(content, "conllu-roots") == []
    assert ids(unconnected, "conllu-roots") == ["deps-unconnected"]
    result = evaluation.score(content, content, "iwpt21", options=Options(reader="conllu-roots"))
    assert result.metrics["ELAS"].correct == 2 and "|reader:conllu-roots|" in result.signature


def test_naming_the_reader_of_a_profile_changes_nothing() -> None:
    line = "{}\tw\t_\tX\t_\t_\t0\troot\t_\t_\n"
    content = (line.format(1) + line.format(2) + "\n").encode()
    assert evaluation.validate(content, profile="plank15", reader="conllu").valid
