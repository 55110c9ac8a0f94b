"""`python -m evaluation diff`: the worst sentences first, both trees, readable and safe in a terminal."""

import argparse
import io
import json
import random
from pathlib import Path

import pytest

import evaluation
from evaluation.cli import diff
from evaluation.scoring.counts import counts_by_unit
from evaluation.showing.diff import COLOURED, passage_lines, worst_sentences
from evaluation.showing.passage import Passages
from tests.evaluation.drawing import draw_pair
from tests.evaluation.small_files import comparison, conllu, star

GOLD = """
# sent_id = good
1 Yes INTJ 0 root

# sent_id = bad
# text = Kim sees rain.
1 Kim PROPN 2 nsubj
2 sees VERB 0 root
3 rain NOUN 2 obj
4 . PUNCT 2 punct

# sent_id = middling
1 Go VERB 0 root
2 on ADP 1 compound
"""
SYSTEM = """
1 Yes INTJ 0 root

1 Kim PROPN 2 nsubj
2 sees NOUN 0 root
3 rain. NOUN 1 obl

1 Go VERB 0 root
2 on ADP 1 advmod
"""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_bytes(conllu(GOLD))
    system.write_bytes(conllu(SYSTEM))
    return str(gold), str(system)


def _run(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    diff.add_parser(parser.add_subparsers())
    arguments = parser.parse_args(["diff", *argv])
    return int(arguments.run(arguments))


def test_both_trees_are_printed_row_by_row(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(*files, "--sentences", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:8] == [
        "Sentence 2 (bad; gold line 6, system line 3). LAS 57.14: 2 correct, 4 in gold, 3 in system.",
        "Kim sees rain.",
        "gold   system   gold                     system                   word",
        "    ┌►    ┌┬►     1 → 2   nsubj          =                        Kim  PROPN",
        "    ├●    └─● ≠   2 → 0   root           =                        sees  UPOS VERB ≠ NOUN",
        "    ├►     │  −   3 → 2   obj                                     rain  NOUN",
        "    │      └► +                            3 → 1   obl            rain.  NOUN",
        "    └►        −   4 → 2   punct                                   .  PUNCT",
    ]


def test_the_worst_sentence_comes_first_and_the_perfect_one_not_at_all(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    _run(*files)
    out = capsys.readouterr().out
    assert out.index("(bad;") < out.index("(middling;")
    assert "(good;" not in out
    assert "2 of 2 sentences with LAS errors shown; 3 sentences in total." in out


def test_sentences_are_ordered_by_number_of_errors() -> None:
    compared = comparison(GOLD, SYSTEM)
    worst = worst_sentences(counts_by_unit(compared), "LAS")
    assert [(item.sentence, item.errors) for item in worst] == [(1, 2), (2, 1)]
    assert [
        worst_sentence.sentence for worst_sentence in worst_sentences(counts_by_unit(compared), "UAS")
    ] == [1]


def test_another_metric_shows_its_own_column(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = tmp_path / "other.conllu"
    other.write_bytes(conllu(GOLD).replace(b"sees\tsees", b"sees\tsaw"))
    assert _run(files[0], str(other), "--metric", "Lemmas") == 0
    out = capsys.readouterr().out
    assert "LEMMA sees ≠ saw" in out
    assert "1 of 1 sentences with Lemmas errors" in out


def test_label_accuracy_can_be_asked_for(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(*files, "--metric", "LA") == 0
    assert "LA errors shown" in capsys.readouterr().out


def test_sentence_boundaries_that_differ_are_shown() -> None:
    passage = Passages(comparison("1 a X 0 root\n2 b X 1 dep", "1 a X 0 root\n\n1 b X 0 root")).passage_of(0)
    lines = list(passage_lines(passage))
    assert "starts a new sentence" in lines[2]
    beyond = Passages(comparison("1 a X 0 root\n\n1 b X 0 root", "1 a X 0 root\n2 b X 1 dep")).passage_of(1)
    assert any(" · " in line for line in passage_lines(beyond))


def test_multi_word_tokens_are_named() -> None:
    gold = "1-2 zum\n1 zu ADP 2 case\n2 dem DET 0 root"
    lines = list(passage_lines(Passages(comparison(gold, "1 zum ADP 0 root")).passage_of(0)))
    assert sum("in “zum”" in line for line in lines) == 2


def test_colour_is_for_terminals_and_can_be_refused(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    _run(*files)
    assert "\x1b" not in capsys.readouterr().out
    terminal = _Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    _run(*files)
    assert COLOURED.wrong in terminal.getvalue() and COLOURED.missed in terminal.getvalue()
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        quiet = _Terminal()
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            patch.setattr("sys.stdout", quiet)
            _run(*files)
        assert "\x1b" not in quiet.getvalue()


def test_colour_changes_nothing_but_colour() -> None:
    passage = Passages(comparison(GOLD, SYSTEM)).passage_of(1)
    coloured = "\n".join(passage_lines(passage, COLOURED))
    for code in (COLOURED.missed, COLOURED.wrong, COLOURED.faint, COLOURED.strong, COLOURED.end):
        coloured = coloured.replace(code, "")
    assert coloured == "\n".join(passage_lines(passage))


def test_a_long_sentence_shows_only_where_it_differs() -> None:
    system = star(5000).replace("\n2500 w2500 X 1 dep", "\n2500 w2500 X 7 dep")
    lines = list(passage_lines(Passages(comparison(star(5000), system)).passage_of(0)))
    assert len(lines) < 15
    assert any("w2500" in line and "✗" in line for line in lines)
    assert [line for line in lines if "without differences" in line] == [
        "… 2497 rows without differences",
        "… 2498 rows without differences",
    ]


@pytest.mark.parametrize("seed", range(200))
def test_no_odd_file_breaks_the_lines(seed: int) -> None:
    gold, system = draw_pair(random.Random(seed).randrange)
    compared = evaluation.compare(gold, system)
    passages = Passages(compared, ("head", "relation", "upos", "feats", "lemma"))
    for sentence in range(compared.gold.sentences):
        passage = passages.passage_of(sentence)
        lines = list(passage_lines(passage))
        boundaries = sum("starts a new sentence" in line for line in lines)
        assert len(lines) == len(passage.rows) + 1 + boundaries
        # U+00AD and the joiners are kept on purpose, other invisible characters are not.
        assert all(c.isprintable() or c in "\u00ad\u200c\u200d\u00a0\u3000" for line in lines for c in line)


def test_an_invalid_system_file_is_reported_with_exit_code_1(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_bytes(b"1\ta\n\n")
    assert _run(files[0], str(bad)) == 1
    assert "[wrong-columns]" in capsys.readouterr().err


def test_an_invalid_gold_file_and_wrong_usage_give_exit_code_2(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(str(tmp_path / "missing.conllu"), files[1]) == 2
    assert "gold file is invalid" in capsys.readouterr().err
    assert _run(*files, "--metric", "BLEU") == 2
    assert "the metrics are Tokens" in capsys.readouterr().err
    assert _run("-", "-") == 2


def test_json_has_the_counts_of_the_worst_sentences(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(*files, "--sentences", "1", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["sentences_total"], document["sentences_with_errors"]) == (3, 2)
    (worst,) = document["sentences"]
    assert (worst["number"], worst["id"], worst["text"]) == (2, "bad", "Kim sees rain.")
    assert worst["gold"] > worst["correct"] and worst["errors"] == max(
        worst["gold"] - worst["correct"], worst["system"] - worst["correct"]
    )
