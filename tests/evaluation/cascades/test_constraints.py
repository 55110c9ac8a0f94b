"""The files of an experiment: what they give away, and to which words."""

import numpy as np
import pytest

import evaluation
from evaluation.cascades.constraints import constrained_words, write_constraints
from evaluation.errors.parse import built_in, parse_classes

GOLD = """\
# sent_id = 1
1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|Gloss=x
1\tIt\tit\tPRON\tPRP\tNumber=Sing\t3\tnsubj:x\t3:nsubj\t_
2\t's\tbe\tAUX\tVBZ\t_\t3\tcop\t3:cop\tEntity=(head)
2.1\tempty\t_\t_\t_\t_\t_\t_\t3:dep\t_
3\tfun\tfun\tNOUN\tNN\t_\t0\troot\t0:root\tSpaceAfter=No
4\t!\t!\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_

1\tOh\toh\tINTJ\tUH\t_\t0\troot\t_\t_

"""


def test_only_constrained_words_have_heads_and_nothing_else_is_given_away() -> None:
    gold = evaluation.read(GOLD.encode())
    words = np.array([True, False, False, True, False])
    assert write_constraints(gold, words).decode() == (
        "# sent_id = 1\n"
        "1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "1\tIt\tit\tPRON\tPRP\tNumber=Sing\t3\tnsubj:x\t_\t_\n"
        "2\t's\tbe\tAUX\tVBZ\t_\t_\t_\t_\t_\n"
        "3\tfun\tfun\tNOUN\tNN\t_\t_\t_\t_\tSpaceAfter=No\n"
        "4\t!\t!\tPUNCT\t.\t_\t3\tpunct\t_\t_\n"
        "\n"
        "1\tOh\toh\tINTJ\tUH\t_\t_\t_\t_\t_\n"
        "\n"
    )


def test_every_class_and_both_controls_have_a_file() -> None:
    runs = constrained_words(evaluation.read(GOLD.encode()), built_in("universal"))
    assert list(runs)[:3] == ["none", "all", "np-attachment"]
    assert len(runs) == 11
    assert runs["none"].sum() == 0
    assert runs["all"].all()
    assert runs["root"].tolist() == [False, False, True, False, True]
    assert sum(mask.sum() for name, mask in runs.items() if name not in ("none", "all")) == 5


def test_all_constraints_are_a_valid_file_with_the_trees_of_gold() -> None:
    gold = evaluation.read(GOLD.encode())
    copy = write_constraints(gold, np.ones(gold.words, dtype=bool))
    assert evaluation.score(gold, copy, options=evaluation.Options(subtypes=True)).metrics["LAS"].f1 == 1.0


@pytest.mark.parametrize("names", ["A b, A-b", "All, B", "Plain, B"])
def test_classes_whose_files_would_have_the_same_name_are_refused(names: str) -> None:
    first, second = names.split(", ")
    classes = parse_classes(f"classes: {names}\n{first}: root\n{second}: *\n".encode())
    with pytest.raises(ValueError, match="rename an error class"):
        constrained_words(evaluation.read(GOLD.encode()), classes)
