"""Every rule of the built-in classes, and every word of real files in exactly one class."""

import tarfile
from pathlib import Path

import numpy as np
import pytest

import evaluation
from evaluation.errors.classify import classify
from evaluation.errors.count import count_errors
from evaluation.errors.parse import built_in, parse_classes
from tests.evaluation.small_files import conllu

# Each line: relation, class without a `case` child, class with one (where it differs).
UNIVERSAL = {
    "NP attachment": "nsubj nsubj:pass obj iobj appos vocative dislocated",
    "NP internal": "det det:poss clf case flat flat:name compound compound:nn nmod:poss",
    "Clause attachment": "csubj csubj:pass ccomp xcomp advcl acl acl:relcl",
    "Modifier attachment": "advmod advmod:emph amod nummod nummod:gov",
    "Coordination": "conj cc cc:preconj",
    "Root": "root",
    "Punctuation": "punct",
    "Other": "aux aux:pass cop mark expl fixed parataxis dep discourse orphan goeswith list reparandum "
    "compound:prt compound:lvc compound:svc compound:redup compound:preverb unheard _ : nsubjx",
}
DEPENDS_ON_CASE = {
    "NP attachment": "obl:arg obl:agent obl:lvc",
    "NP internal": "nmod nmod:other nmod:tmodx",
    "Modifier attachment": "obl obl:tmod obl:argument nmod:tmod nmod:npmod nmod:unmarked nmod:lmod nmod:mod",
}
STANFORD = {
    "NP attachment": "appos dobj iobj nsubj nsubjpass pobj xsubj",
    "NP internal": "abbrev det nn number poss possessive predet",
    "PP attachment": "prep",
    "Clause attachment": "advcl ccomp csubj csubjpass purpcl rcmod xcomp pcomp",
    "Modifier attachment": "advmod amod infmod npadvmod num partmod quantmod tmod",
    "Coordination": "conj cc preconj",
    "Root": "root",
    "Punctuation": "punct",
    "Other": "acomp attr aux auxpass complm cop dep expl mark mwe neg parataxis prt ref rel goeswith",
}


def pairs(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(name, relation) for name, relations in table.items() for relation in relations.split()]


def class_of(relation: str, child: str = "", xpos: str = "_", classes: str = "universal") -> str:
    """The class of the second word, which has a child of its own if one is given."""
    lines = f"1 a X 0 root\n2 b X 1 {relation}\n3 c X {2 if child else 1} {child or 'case'}"
    file = conllu(lines).replace(b"2\tb\tb\tX\t_", f"2\tb\tb\tX\t{xpos}".encode())
    table = built_in(classes)
    return table.names[classify(evaluation.read(file), table)[1]]


@pytest.mark.parametrize(("name", "relation"), pairs(UNIVERSAL))
def test_a_relation_has_its_class(name: str, relation: str) -> None:
    assert class_of(relation) == name
    assert class_of(relation, child="case") == name


@pytest.mark.parametrize(("name", "relation"), pairs(DEPENDS_ON_CASE))
def test_obliques_and_nominal_modifiers_with_a_case_child_are_prepositional(name: str, relation: str) -> None:
    assert class_of(relation) == name
    assert class_of(relation, child="det") == name
    assert class_of(relation, child="case") == "PP attachment"
    assert class_of(relation, child="case:loc") == "PP attachment"
    assert class_of(relation, child="cased") == name


@pytest.mark.parametrize(("name", "relation"), pairs(STANFORD))
def test_a_stanford_relation_has_the_class_of_the_paper(name: str, relation: str) -> None:
    assert class_of(relation, classes="stanford") == name


def test_a_prepositional_complement_depends_on_the_tag() -> None:
    assert class_of("pcomp", xpos="TO", classes="stanford") == "PP attachment"
    assert class_of("pcomp", xpos="IN", classes="stanford") == "PP attachment"
    assert class_of("pcomp", xpos="VBG", classes="stanford") == "Clause attachment"


def test_a_task_may_bring_its_own_classes() -> None:
    own = parse_classes(b"classes: Nouns, Roots, Rest\nNouns: * if upos NOUN PROPN\nRoots: root\nRest: *\n")
    gold = evaluation.read(conllu("1 a NOUN 3 nsubj\n2 b DET 1 det\n3 c VERB 0 root\n\n1 d PROPN 0 root"))
    assert [own.names[n] for n in classify(gold, own)] == ["Nouns", "Rest", "Roots", "Nouns"]


def test_a_case_child_of_the_root_or_in_another_sentence_changes_nothing() -> None:
    text = "1 a X 0 root\n2 b X 1 obl\n\n1 c X 0 root\n2 d X 1 case\n\n1 e X 0 case"
    table = built_in("universal")
    classes = [table.names[n] for n in classify(evaluation.read(conllu(text)), table)]
    assert classes == ["Root", "Modifier attachment", "Root", "NP internal", "NP internal"]


def check(gold: evaluation.Treebank) -> None:
    """Every word is in one class, and the counts of the classes add up to those of the file."""
    table = built_in("universal")
    classes = classify(gold, table)
    assert len(classes) == gold.words
    assert classes.min() >= 0
    assert classes.max() < len(table.names)
    by_class = {
        name: tally.words for name, tally in count_errors(evaluation.compare(gold, gold), table).items()
    }
    assert list(by_class.values()) == np.bincount(classes, minlength=len(table.names)).tolist()
    assert sum(by_class.values()) == gold.words
    relations = [name.split(":")[0] for name in gold.relations.names]
    for name, relation in (("Root", "root"), ("Punctuation", "punct")):
        flags = np.array([other == relation for other in relations])
        assert by_class[name] == int(flags[gold.relations.codes].sum())


def test_every_word_of_the_gold_files_of_2017_is_in_one_class(conll17: Path) -> None:
    files = sorted(conll17.glob("*/gold.conllu"))
    assert len(files) == 16
    for file in files:
        check(evaluation.read(file))


def test_every_word_of_the_gold_files_of_learning_curves_is_in_one_class(shared_data: Path) -> None:
    archives = sorted((shared_data / "curves").glob("*_*.tar.xz"))
    assert len(archives) == 4
    for archive in archives:
        with tarfile.open(archive) as packed:
            for member in packed:
                if member.name.endswith("gold.conllu"):
                    check(evaluation.read(packed.extractfile(member).read()))  # type: ignore[union-attr]
