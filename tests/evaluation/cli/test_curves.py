"""The command `curves`: its JSON, its table, its drawing, and everything that can be wrong with its input."""

import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.curves.attachments import Attachments
from evaluation.curves.classes import CRITERIA
from evaluation.curves.folders import BadSeries
from evaluation.reading.read import read
from tests.evaluation.drawn_series import Word, draw_series, write

SVG = "{http://www.w3.org/2000/svg}"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    draw_series(tmp_path / "en_toy", 11, systems={"xling_fr": 0.5})
    return tmp_path / "en_toy"


def run_json(capsys: Capture, *arguments: str | Path) -> dict[str, Any]:
    assert main(["curves", *map(str, arguments), "--format", "json", "--replicates", "20"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def refused(capsys: Capture, *arguments: str | Path) -> str:
    """The message of a refusal: one error, no output, no traceback."""
    assert main(["curves", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    return captured.err


def test_one_folder_gives_the_documented_shape(folder: Path, capsys: Capture) -> None:
    document = run_json(capsys, folder)
    assert document["sizes"] == [5, 10, 20, 50]
    for name, curve in document["classes"].items():
        assert name[-1] in "<>"
        assert curve["words"] > 0
        assert len(curve["uas"]) == 4
        assert curve["complexity"] is None or isinstance(curve["complexity"], float)
    assert {"PUNCT<", "PUNCT>"}.isdisjoint(document["classes"])
    simple = [
        n for n, c in document["classes"].items() if c["complexity"] is not None and c["complexity"] < 0
    ]
    assert document["simple"] == simple
    for key in ("uas", "uas_simple", "uas_complex"):
        assert len(document[key]) == 4
        assert all(0 <= uas <= 100 for uas in document[key])
    assert set(document["equivalents"]) == {"xling_fr"}
    for part in ("overall", "simple", "complex"):
        assert {"uas", "sentences"} <= set(document["equivalents"]["xling_fr"][part])


def test_several_folders_give_treebanks_and_their_average(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    draw_series(tmp_path / "fr_toy", 12)
    document = run_json(capsys, folder, tmp_path / "fr_toy")
    assert set(document) == {"treebanks", "average"}
    assert set(document["treebanks"]) == {"en_toy", "fr_toy"}
    assert document["treebanks"]["en_toy"] == run_json(capsys, folder)
    uas = [t["uas"][0] for t in document["treebanks"].values()]
    assert document["average"]["uas"][0] == pytest.approx(sum(uas) / 2)


def test_folders_with_other_sizes_have_their_curves_but_no_average(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    other = tmp_path / "fr_toy"
    draw_series(other, 12)
    for path in other.glob("20-*"):
        path.unlink()
    reason = (
        "There is no average: an average needs the same sizes in all test sets, "
        "but en_toy has 5, 10, 20, 50 and fr_toy has 5, 10, 50."
    )
    document = run_json(capsys, folder, other)
    assert document["average"] is None
    assert document["notes"] == [reason]
    assert document["treebanks"] == {path.name: run_json(capsys, path) for path in (folder, other)}
    for format in ("table", "svg"):
        assert main(["curves", str(folder), str(other), "--format", format, "--replicates", "0"]) == 0
        captured = capsys.readouterr()
        assert reason in captured.err
        assert "fr_toy" in captured.out


@pytest.mark.parametrize("by", CRITERIA)
def test_every_criterion_has_a_document_a_table_and_a_drawing(folder: Path, by: str, capsys: Capture) -> None:
    assert run_json(capsys, folder, "--by", by)["by"] == by
    assert main(["curves", str(folder), "--by", by, "--replicates", "0"]) == 0
    assert "COMPLEXITY" in capsys.readouterr().out
    assert main(["curves", str(folder), "--by", by, "--format", "svg", "--replicates", "0"]) == 0
    assert ElementTree.fromstring(capsys.readouterr().out).tag == f"{SVG}svg"


def test_bins_without_words_are_said_and_have_no_curve(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    short = tmp_path / "short"
    short.mkdir()
    gold = [[Word("a", "NOUN", 0, "root"), Word("b", "DET", 1, "det")]] * 25
    for name in ("gold", "5-1", "10-1", "20-1"):
        write(short / f"{name}.conllu", gold)
    document = run_json(capsys, short, "--by", "depth")
    assert set(document["classes"]) == {"1", "2"}
    assert any("3, 4, 5, 6, 7+" in note for note in document["notes"])
    # All curves are level: nothing is learned faster than the rest.
    assert document["simple"] == [] and document["uas_simple"] is None
    assert any("No class is simple" in note for note in document["notes"])


def test_published_scores_are_placed_inside_below_and_above_the_curve(folder: Path, capsys: Capture) -> None:
    places = ["--place", "low=1", "--place", "high=99.9", "--place", "KL-Beam=60"]
    document = run_json(capsys, folder, *places)["equivalents"]
    assert document["low"]["overall"] == {
        "uas": 1.0,
        "sentences": "<5",
        "monotone": True,
        "uas_interval": None,
        "sentences_interval": ["<5", "<5"],
    }
    assert document["high"]["overall"]["sentences"] == ">50"
    assert 5 < document["KL-Beam"]["overall"]["sentences"] < 50
    assert document["KL-Beam"]["simple"] == {"uas": None, "sentences": None}


def test_the_table_names_systems_and_what_they_are_worth(folder: Path, capsys: Capture) -> None:
    assert main(["curves", str(folder), "--place", "low=1"]) == 0
    out = capsys.readouterr().out
    assert "xling_fr" in out and "<5" in out and "Spearman's ρ" in out
    assert "±" in out and "DET>" in out


def test_a_drawing_has_the_curves_and_escapes_names(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    shutil.copy(folder / "xling_fr.conllu", folder / "<b>&.conllu")
    draw_series(tmp_path / "fr_toy", 12)
    assert main(["curves", str(folder), str(tmp_path / "fr_toy"), "--format", "svg"]) == 0
    root = ElementTree.fromstring(capsys.readouterr().out)
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert "<b>&" in texts
    assert {"en_toy", "fr_toy", "Average of en_toy, fr_toy", "overall", "simple", "complex"} <= set(texts)
    assert len(list(root.iter(f"{SVG}polyline"))) > 12
    # Every curve of a class has a marker or dashes, so that colour is not all.
    styles = {line.get("class") for line in root.iter(f"{SVG}polyline")}
    assert len(styles) > 6


def test_an_output_with_another_token_is_named_with_its_line(folder: Path, capsys: Capture) -> None:
    path = folder / "20-2.conllu"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    columns = lines[3].split("\t")
    if len(columns) < 10:
        columns = lines[2].split("\t")
    number = lines.index("\t".join(columns))
    columns[1] = "other"
    lines[number] = "\t".join(columns)
    path.write_text("".join(lines), encoding="utf-8")
    message = refused(capsys, folder)
    assert f"{path}:{number + 1}: the tokens differ" in message
    assert "“other”" in message


def test_an_output_with_fewer_or_more_sentences_is_refused(folder: Path, capsys: Capture) -> None:
    path = folder / "20-2.conllu"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "1\tmore\t_\tX\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert "expected the end of the file" in refused(capsys, folder)
    shorter = text.rstrip("\n").rsplit("\n\n", 1)[0] + "\n\n"
    path.write_text(shorter, encoding="utf-8")
    assert "found the end of the file" in refused(capsys, folder)


def test_the_same_words_in_another_multi_word_token_are_other_tokens(tmp_path: Path, capsys: Capture) -> None:
    draw_series(tmp_path / "s", 1, sentences=3)
    path = tmp_path / "s" / "5-1.conllu"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    two = next(n for n, line in enumerate(lines) if line.startswith("2\t"))
    lines.insert(two - 1, "1-2\tab" + 8 * "\t_" + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    assert "in the multi-word token “ab”" in refused(capsys, tmp_path / "s")


def test_the_same_words_in_a_token_of_another_form_are_other_tokens(tmp_path: Path, capsys: Capture) -> None:
    words = "1\ta\t_\tADP\t_\t_\t2\tcase\t_\t_\n2\tb\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    for name, form in (("gold", "ab"), ("5-1", "ab"), ("10-1", "aab"), ("20-1", "ab")):
        text = (f"1-2\t{form}" + 8 * "\t_" + "\n" + words) * 25
        (tmp_path / f"{name}.conllu").write_text(text, encoding="utf-8")
    message = refused(capsys, tmp_path)
    assert f"{tmp_path / '10-1.conllu'}:2: the tokens differ" in message
    assert "found “a” as word 1 of sentence 1, in the multi-word token “aab”" in message
    assert "expected “a” as word 1 of sentence 1, in the multi-word token “ab”" in message


def test_an_invalid_output_is_named_with_its_line(folder: Path, capsys: Capture) -> None:
    (folder / "10-1.conllu").write_text("1\ta\t_\tX\t_\t_\t7\tdep\t_\t_\n\n", encoding="utf-8")
    message = refused(capsys, folder)
    assert f"{folder / '10-1.conllu'}:1 (sentence 1): [head-outside]" in message


def test_too_few_sizes_and_impossible_ones_are_refused(folder: Path, capsys: Capture) -> None:
    for sample in (1, 2):
        (folder / f"50-{sample}.conllu").rename(folder / f"0-{sample}.conllu")
    assert "at least one sentence, but the sizes are 0, 5, 10, 20" in refused(capsys, folder)
    for path in [*folder.glob("0-*"), *folder.glob("10-*")]:
        path.unlink()
    assert "at least 3 sizes of training data, found 5, 20" in refused(capsys, folder)


def test_sizes_that_do_not_grow_are_refused() -> None:
    gold = read(b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    right = gold.parent == gold.parent
    with pytest.raises(BadSeries, match="sizes must increase, but 5 follows 10"):
        Attachments("toy", gold, {10: {1: right}, 5: {1: right}, 20: {1: right}}, {})


def test_a_missing_sample_is_said_and_the_others_are_averaged(folder: Path, capsys: Capture) -> None:
    (folder / "10-2.conllu").unlink()
    document = run_json(capsys, folder)
    assert document["samples"] == [2, 1, 2, 2]
    note = "10-2 is missing: the score at 10 sentences is the average of 1 sample, elsewhere of up to 2."
    assert note in document["notes"]
    assert document["spread"]["overall"][1] is None


def test_samples_with_other_numbers_are_missing_where_they_are_not(folder: Path, capsys: Capture) -> None:
    """No size has three samples, although there are three numbers."""
    (folder / "50-2.conllu").rename(folder / "50-3.conllu")
    notes = run_json(capsys, folder)["notes"]
    assert "5-3 is missing: the score at 5 sentences is the average of 2 samples." in notes


def test_the_same_sample_twice_is_refused(folder: Path, capsys: Capture) -> None:
    shutil.copy(folder / "5-1.conllu", folder / "05-1.conllu")
    assert "are the same sample; remove one" in refused(capsys, folder)


def test_a_falling_curve_is_said(folder: Path, capsys: Capture) -> None:
    (folder / "50-1.conllu").write_bytes((folder / "5-1.conllu").read_bytes())
    (folder / "50-2.conllu").write_bytes((folder / "5-2.conllu").read_bytes())
    document = run_json(capsys, folder, "--place", f"between={run_json(capsys, folder)['uas'][2] - 0.1}")
    assert document["uas"][-1] == document["uas"][0]
    assert any(note.startswith("The curve falls from") for note in document["notes"])
    assert document["equivalents"]["between"]["overall"]["monotone"] is False


def test_a_class_that_is_never_right_has_no_complexity_and_is_complex(
    tmp_path: Path, capsys: Capture
) -> None:
    gold = [[Word("a", "NOUN", 0, "root"), Word("b", "DET", 1, "det"), Word("c", "ADP", 1, "case")]] * 25
    wrong = [[Word("a", "NOUN", 0, "root"), Word("b", "DET", 1, "det"), Word("c", "ADP", 2, "case")]] * 25
    folder = tmp_path / "toy"
    folder.mkdir()
    write(folder / "gold.conllu", gold)
    for size in (5, 10, 20):
        write(folder / f"{size}-1.conllu", wrong)
    document = run_json(capsys, folder)
    assert document["classes"]["ADP<"]["complexity"] is None
    assert document["uas_complex"] is not None
    assert any("No head of ADP< is correct at 20 sentences" in note for note in document["notes"])


def test_outputs_without_a_single_right_head_are_no_crash(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    write(folder / "gold.conllu", [[Word("a", "NOUN", 0, "root"), Word("b", "DET", 1, "det")]] * 25)
    for name in ("5-1", "10-1", "20-1", "other"):
        write(folder / f"{name}.conllu", [[Word("a", "X", 2, "x"), Word("b", "X", 0, "root")]] * 25)
    document = run_json(capsys, folder)
    assert document["uas"] == [0, 0, 0]
    assert document["simple"] == [] and document["rho"] is None and document["normalised"] is None
    for format in ("table", "svg"):
        assert main(["curves", str(folder), "--format", format]) == 0


def test_a_gold_file_of_punctuation_is_refused(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    for name in ("gold", "5-1", "10-1", "20-1"):
        write(folder / f"{name}.conllu", [[Word(".", "PUNCT", 0, "root")]])
    assert "all words are punctuation" in refused(capsys, folder)


@pytest.mark.parametrize("option", ["Rosa", "Rosa=", "=52.5", "Rosa=x", "Rosa=-1", "Rosa=100.5", "Rosa=nan"])
def test_a_score_that_is_none_is_refused(folder: Path, option: str, capsys: Capture) -> None:
    assert "--place needs NAME=UAS" in refused(capsys, folder, "--place", option)


def test_names_must_be_unique(folder: Path, capsys: Capture) -> None:
    assert "also a file of en_toy" in refused(capsys, folder, "--place", "xling_fr=50")
    assert "two scores called a" in refused(capsys, folder, "--place", "a=50", "--place", "a=51")


def test_folders_without_a_series_are_refused(tmp_path: Path, capsys: Capture) -> None:
    assert "No such file or directory" in refused(capsys, tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    assert "give a folder with a series" in refused(capsys, tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert "there is no gold.conllu" in refused(capsys, tmp_path / "empty")
