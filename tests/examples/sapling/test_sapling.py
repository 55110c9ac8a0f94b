"""Sapling as people use it: training, parsing, constraints, the contract of a shared task."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sapling.__main__ import main
from sapling.conllu import UNKNOWN, Sentence, read
from sapling.model import DECODERS, train
from sapling.projective import crossed

import evaluation
from tests.machinery.site import ROOT

FOLDER = ROOT / "examples" / "sapling"
GOLD = ROOT / "demo" / "gold" / "en_par.conllu"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of each decoder, trained on the sentences that the tests parse."""
    folder = tmp_path_factory.mktemp("models")
    for decoder in DECODERS:
        train(read(GOLD), decoder, rounds=4, width=4).save(folder / f"{decoder}.model")
    return folder


def constrain(path: Path, words: set[str] | None = None) -> Path:
    """A file of constraints for words with these relations, or for all."""
    lines = []
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if columns[0].isdecimal() and words is not None and columns[7] not in words:
            columns[6:8] = "_", "_"
        lines.append("\t".join(columns))
    path.write_text("\n".join([*lines, ""]) + "\n", encoding="utf-8")
    return path


def tree(path: Path) -> list[tuple[list[int], list[str]]]:
    return [(sentence.heads, sentence.relations) for sentence in read(path)]


@pytest.mark.parametrize("decoder", DECODERS)
def test_a_model_learns_its_training_data_and_writes_valid_files(
    decoder: str, models: Path, tmp_path: Path
) -> None:
    output = tmp_path / "output.conllu"
    assert main(["parse", str(models / f"{decoder}.model"), str(GOLD), str(output)]) == 0
    metrics = evaluation.score(GOLD, output).metrics
    assert metrics["UAS"].f1 > 0.95
    assert metrics["LAS"].f1 > 0.93
    assert metrics["Words"].f1 == metrics["Lemmas"].f1 == 1.0


@pytest.mark.parametrize("decoder", DECODERS)
def test_heads_of_the_input_are_not_looked_at(decoder: str, models: Path, tmp_path: Path) -> None:
    blank, model = constrain(tmp_path / "blank.conllu", set()), str(models / f"{decoder}.model")
    outputs = [tmp_path / "from-gold.conllu", tmp_path / "from-blank.conllu"]
    for source, output in zip((GOLD, blank), outputs, strict=True):
        assert main(["parse", model, str(source), str(output)]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def keeps(heads: list[int], names: list[str], given: Sentence) -> bool:
    """Whether a tree has all the heads and relations that are given."""
    return all(
        head == UNKNOWN or (own_head, own_name) == (head, name)
        for own_head, own_name, head, name in zip(heads, names, given.heads, given.relations, strict=True)
    )


@pytest.mark.parametrize("decoder", DECODERS)
def test_constraints_are_kept_or_the_sentence_stays_as_it_is(decoder: str, tmp_path: Path) -> None:
    # A model of other sentences makes errors here, so that constraints have something to change.
    poor = tmp_path / "poor.model"
    train(read(ROOT / "demo" / "gold" / "de_garten.conllu"), decoder, rounds=1, width=4).save(poor)
    plain, constrained = tmp_path / "plain.conllu", tmp_path / "constrained.conllu"
    assert main(["parse", str(poor), str(GOLD), str(plain)]) == 0
    projective = [crossed(sentence.heads) is None for sentence in read(GOLD)]
    assert projective.count(True) > projective.count(False) > 0
    for relations in (set(), {"nsubj", "obj"}, {"root"}, {"punct", "case"}, None):
        file = constrain(tmp_path / "constraints.conllu", relations)
        command = ["parse", str(poor), str(GOLD), str(constrained), "--constraints", str(file)]
        assert main(command) == 0
        results = list(zip(tree(constrained), tree(plain), read(file), strict=True))
        is_kept = [keeps(*own, given) for own, _, given in results]
        assert all(own == before for keep, (own, before, _) in zip(is_kept, results, strict=True) if not keep)
        if decoder == "graph" or not relations:
            assert [keep for keep, is_possible in zip(is_kept, projective, strict=True) if is_possible].count(
                False
            ) == 0
        if relations == set():
            assert constrained.read_bytes() == plain.read_bytes()
        else:
            assert tree(constrained) != tree(plain)


def test_constraints_without_a_tree_give_the_plain_output(models: Path, tmp_path: Path) -> None:
    model = str(models / "graph.model")
    impossible = tmp_path / "impossible.conllu"
    # Every first word is its own grandparent.
    lines = constrain(tmp_path / "none.conllu", set()).read_text().splitlines()
    for place, line in enumerate(lines):
        for word, head in (("1", "2"), ("2", "1")):
            columns = line.split("\t")
            if columns[0] == word:
                lines[place] = "\t".join([*columns[:6], head, "dep", *columns[8:]])
    impossible.write_text("\n".join([*lines, ""]) + "\n")
    plain, constrained = tmp_path / "plain.conllu", tmp_path / "constrained.conllu"
    assert main(["parse", model, str(GOLD), str(plain)]) == 0
    assert main(["parse", model, str(GOLD), str(constrained), "--constraints", str(impossible)]) == 0
    assert constrained.read_bytes() == plain.read_bytes()


def test_constraints_on_other_words_are_refused(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["parse", str(models / "graph.model"), str(GOLD), str(tmp_path / "output.conllu")]
    other = ROOT / "demo" / "gold" / "de_garten.conllu"
    assert main([*command, "--constraints", str(other)]) == 1
    assert "words of sentence 1 are not those of the input" in capsys.readouterr().err
    assert main([*command, "--constraints", str(ROOT / "demo" / "gold" / "ja_eki.conllu")]) == 1
    assert "has 30 sentences, the input has 28" in capsys.readouterr().err


@pytest.mark.parametrize("decoder", DECODERS)
def test_training_depends_on_the_seed_alone(decoder: str, tmp_path: Path) -> None:
    small = tmp_path / "small.conllu"
    small.write_text("\n\n".join(GOLD.read_text().split("\n\n")[:8]) + "\n\n")

    def model(hash_seed: str, seed: str) -> bytes:
        target = tmp_path / "trained.model"
        command = [sys.executable, "-m", "sapling", "train", str(small), str(target), "--decoder", decoder]
        environment = {**os.environ, "PYTHONPATH": str(FOLDER), "PYTHONHASHSEED": hash_seed}
        subprocess.run([*command, "--seed", seed, "--rounds", "2"], env=environment, check=True)
        return target.read_bytes()

    assert model("1", "7") == model("2", "7") != model("1", "8")


def test_a_run_parses_what_the_metadata_list(models: Path, tmp_path: Path) -> None:
    inputs, outputs = tmp_path / "input", tmp_path / "output"
    inputs.mkdir()
    outputs.mkdir()
    (inputs / "en.conllu").write_bytes(constrain(tmp_path / "blank.conllu", set()).read_bytes())
    (inputs / "train.conllu").write_bytes(GOLD.read_bytes())
    constrain(inputs / "all.conllu")
    entry = {"lcode": "en", "tcode": "par", "ltcode": "en_par", "psegmorfile": "en.conllu"}
    metadata = [
        {**entry, "outfile": "plain.conllu"},
        {**entry, "outfile": "all-out.conllu", "constraintsfile": "all.conllu"},
        {**entry, "outfile": "trained.conllu", "trainfile": "train.conllu"},
    ]
    (inputs / "metadata.json").write_text(json.dumps(metadata))
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "en.model").write_bytes((models / "graph.model").read_bytes())
    assert main(["run", str(folder), str(inputs), str(outputs)]) == 0
    assert sorted(path.name for path in outputs.iterdir()) == [
        "all-out.conllu",
        "plain.conllu",
        "trained.conllu",
    ]
    all_given = zip(tree(outputs / "all-out.conllu"), tree(GOLD), read(GOLD), strict=True)
    assert all(own == gold for own, gold, sentence in all_given if crossed(sentence.heads) is None)
    assert evaluation.score(GOLD, outputs / "trained.conllu").metrics["UAS"].f1 > 0.95
    (folder / "en.model").rename(folder / "fr.model")
    assert main(["run", str(folder), str(inputs), str(outputs)]) == 1


def test_the_commands_of_the_readme_work(tmp_path: Path) -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python -m sapling .+$", text, re.MULTILINE)
    assert len(commands) == 4
    small = "\n\n".join(GOLD.read_text().split("\n\n")[:4]) + "\n\n"
    for name in ("train.conllu", "input.conllu", "constraints.conllu"):
        (tmp_path / name).write_text(small)
    environment = {**os.environ, "PYTHONPATH": str(FOLDER)}
    for command in commands:
        arguments = [sys.executable, *command.split()[1:]]
        subprocess.run(arguments, cwd=tmp_path, env=environment, check=True)
    assert tree(tmp_path / "output.conllu") == tree(tmp_path / "input.conllu")


def test_the_readme_describes_every_module() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    modules = {path.name for path in (FOLDER / "sapling").glob("[a-z]*.py")}
    assert set(re.findall(r"^\| `(\w+\.py)` \|", text, re.MULTILINE)) == modules


def test_a_bad_file_is_reported_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.conllu").write_text("# comment\n1\tword\n\n")
    assert main(["train", str(tmp_path / "bad.conllu"), str(tmp_path / "model")]) == 1
    assert "line 2: a word has ten columns" in capsys.readouterr().err
    (tmp_path / "empty.conllu").write_text("")
    assert main(["train", str(tmp_path / "empty.conllu"), str(tmp_path / "model")]) == 1
    assert "no sentences to train on" in capsys.readouterr().err


@pytest.mark.parametrize("decoder", DECODERS)
def test_sentences_that_are_no_trees_are_left_out(
    decoder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cycle, a word without a head, two roots, and a sentence without words, as a file that was cut has."""
    good = "\n\n".join(GOLD.read_text(encoding="utf-8").split("\n\n")[:4]) + "\n\n"
    word = "{}\tx\t_\tX\t_\t_\t{}\tdep\t_\t_\n"
    heads = ("210", "2_", "00", "")
    bad = "".join(
        "# comment\n" + "".join(word.format(n, head) for n, head in enumerate(each, 1)) + "\n"
        for each in heads
    )
    (tmp_path / "good.conllu").write_text(good, encoding="utf-8")
    (tmp_path / "mixed.conllu").write_text(good + bad, encoding="utf-8")
    (tmp_path / "bad.conllu").write_text(bad, encoding="utf-8")
    options = ["--decoder", decoder, "--rounds", "1"]
    for name in ("good", "mixed"):
        assert (
            main(["train", str(tmp_path / f"{name}.conllu"), str(tmp_path / f"{name}.model"), *options]) == 0
        )
    assert "4 sentences are left out: they are no trees with one root" in capsys.readouterr().err
    assert (tmp_path / "good.model").read_bytes() == (tmp_path / "mixed.model").read_bytes()
    assert main(["train", str(tmp_path / "bad.conllu"), str(tmp_path / "bad.model"), *options]) == 1
    assert "none is a tree with one root" in capsys.readouterr().err


def test_a_file_that_is_no_model_is_refused_by_its_name(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (models / "graph.model").read_bytes()
    np.savez_compressed(tmp_path / "other.npz", weights=np.zeros(3))
    for content in (b"", GOLD.read_bytes(), whole[: len(whole) // 2], (tmp_path / "other.npz").read_bytes()):
        (tmp_path / "bad.model").write_bytes(content)
        assert main(["parse", str(tmp_path / "bad.model"), str(GOLD), str(tmp_path / "output.conllu")]) == 1
        assert (
            capsys.readouterr().err
            == f"sapling: {tmp_path}/bad.model is not a model of Sapling, or is damaged\n"
        )
