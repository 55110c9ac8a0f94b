"""The figures of an experiment: by hand, on drawn trees, and with a real parser."""

import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from sapling.conllu import read as read_sentences
from sapling.model import Model, train
from sapling.run import parse_file

import evaluation
from evaluation.cascades.constraints import constrained_words, write_constraints
from evaluation.cascades.experiment import Experiment
from evaluation.cascades.outputs import InvalidExperiment
from evaluation.cascades.run_figures import RunFigures
from evaluation.errors.parse import built_in
from tests.evaluation.small_files import conllu
from tests.machinery.site import ROOT

UNIVERSAL = built_in("universal")
GOLD = """
1 Kim PROPN 2 nsubj
2 saw VERB 0 root
3 rain NOUN 2 obj
4 . PUNCT 2 punct

1 Go VERB 0 root
2 on ADV 1 advmod
"""
# The root is wrong in the first sentence, and with it the heads of all its words; the adverb in the second.
PLAIN = """
1 Kim PROPN 3 nsubj
2 saw VERB 3 acl
3 rain NOUN 0 root
4 . PUNCT 3 punct

1 Go VERB 0 root
2 on ADV 1 advmod
"""
# With the right root, the subject is repaired; the object and the full stop stay wrong, the adverb breaks.
ROOT_GIVEN = """
1 Kim PROPN 2 nsubj
2 saw VERB 0 root
3 rain NOUN 2 obl
4 . PUNCT 3 punct

1 Go VERB 0 root
2 on ADV 1 advmod
"""


def experiment(outputs: Mapping[str, str], gold: str = GOLD, **options: bool) -> Experiment:
    defaults = {"plain": PLAIN, "none": PLAIN, "all": gold}
    files = {name: conllu(text) for name, text in {**defaults, **outputs}.items()}
    return Experiment(evaluation.read(conllu(gold)), files, UNIVERSAL, **options)


def rows(result: Experiment, **options: object) -> dict[str, RunFigures]:
    return {row.run: row for row in result.rows(**options)}  # type: ignore[arg-type]


def test_the_figures_of_a_run_are_those_counted_by_hand() -> None:
    row = rows(experiment({"root": ROOT_GIVEN}))["root"]
    assert (row.covered, row.sentences, row.impossible, row.selected) == (2, 2, 0, 2)
    assert (row.constrained, row.effective, row.displaced, row.distance) == (2, 1, 1, 1)
    # Without the full stop: Kim, saw, rain, Go, on.
    assert (row.words, row.plain_heads, row.heads) == (5, 2, 5)
    assert (row.plain_arcs, row.arcs) == (2, 4)
    assert (row.constrained_gain, row.unconstrained_gain, row.gain) == (1, 2, 3)
    assert {name: n for name, n in row.repaired.items() if n} == {"NP attachment": 2}
    assert sum(row.destroyed.values()) == 0
    assert (row.uas, row.las, row.plain_uas, row.effective_share) == (1.0, 0.8, 0.4, 0.5)
    assert row.displacement == 1.0


def test_punctuation_is_scored_in_a_table_of_its_own() -> None:
    row = rows(experiment({"root": ROOT_GIVEN}), punctuation=True)["root"]
    assert (row.words, row.plain_heads, row.heads) == (6, 2, 5)
    everything = rows(experiment({}), punctuation=True)["all"]
    assert (everything.effective, everything.gain, everything.constrained_gain) == (4, 4, 4)


def test_a_sentence_is_covered_only_with_head_and_whole_relation() -> None:
    result = experiment({"root": PLAIN, "np-attachment": GOLD.replace("nsubj", "nsubj:x")})
    assert result.covered("root").tolist() == [False, True]
    assert result.covered("np-attachment").tolist() == [False, True]
    assert result.covered("none").all()


def test_figures_are_over_what_every_class_covers_or_over_what_the_run_covers() -> None:
    result = experiment({"root": PLAIN, "np-attachment": GOLD})
    assert result.covered_everywhere().tolist() == [False, True]
    assert {name: row.selected for name, row in rows(result).items()} == {
        "np-attachment": 1,
        "root": 1,
        "all": 1,
        "none": 1,
    }
    own = rows(result, selection="own")
    assert (own["np-attachment"].selected, own["root"].selected) == (2, 1)
    within = rows(result, selection="own", within=np.array([True, False]))
    assert (within["np-attachment"].selected, within["root"].selected) == (1, 0)


def test_destroyed_arcs_are_counted_by_the_class_of_their_words() -> None:
    broken = GOLD.replace("2 on ADV 1 advmod", "2 on ADV 0 root").replace(
        "1 Go VERB 0 root", "1 Go VERB 2 dep"
    )
    row = rows(experiment({"np-attachment": broken}), punctuation=True)["np-attachment"]
    assert row.destroyed["Modifier attachment"] == row.destroyed["Root"] == 1
    assert row.repaired["Root"] == row.repaired["Punctuation"] == 1


NON_PROJECTIVE = "1 a X 3 det\n2 b X 0 root\n3 c X 2 obj\n4 d X 2 punct"


def test_sentences_without_a_projective_tree_are_counted_apart() -> None:
    chain = "1 a X 0 root\n2 b X 1 dep\n3 c X 2 dep\n4 d X 3 dep"
    outputs = {"plain": chain, "none": chain, "root": chain, "np-internal": chain, "all": NON_PROJECTIVE}
    result = experiment(outputs, NON_PROJECTIVE)
    figures = rows(result)
    # The determiner alone can be kept by a projective tree, together with the root it cannot.
    assert (figures["np-internal"].covered, figures["np-internal"].impossible) == (0, 0)
    assert (figures["root"].covered, figures["root"].impossible) == (0, 0)
    unable = experiment({**outputs, "all": chain}, NON_PROJECTIVE)
    assert (rows(unable)["all"].covered, rows(unable)["all"].impossible) == (0, 1)
    able = experiment({**outputs, "all": chain}, NON_PROJECTIVE, is_projective=False)
    assert rows(able)["all"].impossible == 0


def test_controls_that_hold_have_no_failures() -> None:
    assert experiment({}).failed_controls() == []
    assert experiment({"plain": GOLD, "none": GOLD}).failed_controls() == []


def test_a_control_without_constraints_must_equal_the_plain_run() -> None:
    failures = experiment({"none": ROOT_GIVEN}).failed_controls()
    assert failures == ["The output with an empty file of constraints differs from the plain output."]


def test_not_a_byte_may_differ_in_that_control() -> None:
    """Not even the ends of lines, which the reader treats alike."""
    files = {"plain": conllu(PLAIN), "none": conllu(PLAIN).replace(b"\n", b"\r\n"), "all": conllu(GOLD)}
    (failure,) = Experiment(evaluation.read(conllu(GOLD)), files, UNIVERSAL).failed_controls()
    assert failure == "The output with an empty file of constraints differs from the plain output."


def test_a_system_that_ignores_constraints_is_recognised() -> None:
    (failure,) = experiment({"all": PLAIN}).failed_controls()
    assert failure.startswith("The system ignores constraints")


def test_what_no_projective_tree_can_keep_is_no_reason_to_accuse_a_system() -> None:
    """Its plain output is right wherever a projective tree can be, so no constraint can improve anything."""
    gold = f"{GOLD}\n{NON_PROJECTIVE}"
    chain = f"{GOLD}\n1 a X 0 root\n2 b X 1 dep\n3 c X 2 dep\n4 d X 3 dep"
    outputs = dict.fromkeys(("plain", "none", "all"), chain)
    assert experiment(outputs, gold).failed_controls() == []
    (failure,) = experiment(outputs, gold, is_projective=False).failed_controls()
    assert failure.startswith("The system ignores constraints")


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"unknown": PLAIN}, "“unknown” is not a run of this experiment"),
        ({"root": "1 Kim X 0 root"}, "“root” is invalid"),
        (
            {"root": PLAIN.replace("\n\n1 Go VERB 0", "\n5 Go VERB 3").replace("2 on ADV 1", "6 on ADV 5")},
            "words or sentences of the run",
        ),
        ({"root": PLAIN.replace("3 punct", "9 punct")}, "“root” is invalid"),
    ],
)
def test_outputs_that_cannot_be_compared_are_refused(outputs: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidExperiment, match=message):
        experiment(outputs)


def test_a_missing_control_is_refused() -> None:
    with pytest.raises(InvalidExperiment, match="“all” is missing"):
        Experiment(evaluation.read(conllu(GOLD)), {"plain": conllu(PLAIN), "none": conllu(PLAIN)}, UNIVERSAL)


def draw_output(source: random.Random, sizes: list[int]) -> str:
    sentences = []
    for size in sizes:
        order = source.sample(range(1, size + 1), size)
        heads = {word: source.choice(order[:n]) if n else 0 for n, word in enumerate(order)}
        relations = ("nsubj", "obj", "punct", "case", "nmod", "conj", "advmod")
        lines = [
            f"{n} w X {heads[n]} {source.choice(relations) if heads[n] else 'root'}"
            for n in range(1, size + 1)
        ]
        sentences.append("\n".join(lines))
    return "\n\n".join(sentences)


@pytest.mark.parametrize("seed", range(10))
def test_gains_and_repairs_of_drawn_trees_add_up(seed: int) -> None:
    source = random.Random(seed)
    sizes = [source.randint(1, 7) for _ in range(30)]
    gold, plain = draw_output(source, sizes), draw_output(source, sizes)
    names = constrained_words(evaluation.read(conllu(gold)), UNIVERSAL)
    result = experiment(
        {"plain": plain, **{name: draw_output(source, sizes) for name in names}, "none": plain}, gold
    )
    gained = 0
    for selection in ("every", "own"):
        for punctuation in (False, True):
            for row in result.rows(selection, punctuation=punctuation):  # type: ignore[arg-type]
                assert row.constrained_gain + row.unconstrained_gain == row.heads - row.plain_heads
                counted = [n for n in UNIVERSAL.names if punctuation or n != "Punctuation"]
                repaired = sum(row.repaired[name] - row.destroyed[name] for name in counted)
                assert repaired == row.unconstrained_gain
                gained += abs(row.unconstrained_gain)
    assert gained


def parsed(model: Model, folder: Path, gold: Path) -> dict[str, Path]:
    """The outputs of all runs, made as a system makes them."""
    treebank = evaluation.read(gold)
    source = folder / "input.conllu"
    source.write_bytes(write_constraints(treebank, np.zeros(treebank.words, dtype=bool)))
    outputs = {"plain": folder / "plain.conllu"}
    parse_file(model, source, outputs["plain"])
    for name, words in constrained_words(treebank, UNIVERSAL).items():
        constraints, outputs[name] = folder / f"{name}.constraints", folder / f"{name}.conllu"
        constraints.write_bytes(write_constraints(treebank, words))
        parse_file(model, source, outputs[name], constraints)
    return outputs


def test_a_whole_experiment_with_both_decoders(tmp_path: Path) -> None:
    gold = ROOT / "demo" / "gold" / "en_par.conllu"
    training = read_sentences(ROOT / "demo" / "gold" / "de_garten.conllu")
    covered = {}
    for decoder, width in (("graph", 1), ("transition", 16), ("transition", 1)):
        folder = tmp_path / f"{decoder}-{width}"
        folder.mkdir()
        train(training, decoder, rounds=1, width=4).save(folder / "trained.model")
        outputs = parsed(Model.load(folder / "trained.model", width), folder, gold)
        result = Experiment(evaluation.read(gold), outputs, UNIVERSAL)
        assert result.failed_controls() == []
        for row in result.rows("own"):
            assert row.constrained_gain + row.unconstrained_gain == row.gain
            assert row.constrained_gain >= 0
            if decoder == "graph":
                assert row.covered + row.impossible == row.sentences
        everything = {row.run: row for row in result.rows("own")}["all"]
        assert everything.heads == everything.words
        assert everything.impossible > 0
        covered[decoder, width] = int(result.covered_everywhere().sum())
    assert covered["graph", 1] > covered["transition", 16] > covered["transition", 1]
