"""The stored index of sentences, and passages extracted from both files: equal to those of the full files."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import evaluation
from evaluation.reading.fields import PADDING
from evaluation.scoring.compare import Comparison
from evaluation.scoring.statistics import Statistics, statistics
from evaluation.showing.excerpt import InvalidExcerpt, excerpt_passage
from evaluation.showing.gold_sentences import GoldSentences, gold_sentences
from evaluation.showing.passage import Passage, Passages
from evaluation.showing.system_sentences import SystemSentences, system_sentences
from evaluation.showing.words import OUTSIDE
from tests.evaluation.drawing import Shape, draw_pair
from tests.evaluation.small_files import comparison, conllu

# More characters than usual, so that there are several regions.
LONG = Shape(characters=60)


def compare_2018(gold: bytes, system: bytes) -> Comparison:
    return evaluation.compare(gold, system, "conll18")


class Cut:
    """Passages from the closed regions around sentences, each read as a file of its own."""

    def __init__(self, compared: Comparison) -> None:
        self._compared = compared
        self._gold = GoldSentences.from_bytes(gold_sentences(compared.gold).to_bytes())
        self._system = SystemSentences.from_bytes(system_sentences(compared).to_bytes())
        self.regions = len(self._system.region_gold) - 1

    def passage_of(self, sentence: int) -> Passage:
        gold, system = self._gold, self._system
        region = system.region_of(sentence)
        first, behind = system.region_gold[region : region + 2].tolist()
        begin, end = system.region_begin[region : region + 2].tolist()
        pieces = [
            self._compared.gold.layout.data[gold.begin[first] : gold.begin[behind]].tobytes(),
            self._compared.system.layout.data[begin:end].tobytes(),
        ]
        result = Passages(evaluation.compare(*pieces, self._compared.profile.name)).passage_of(
            sentence - first
        )
        return replace(
            result,
            sentence=sentence,
            gold_line=result.gold_line + int(gold.line[first]),
            system_line=result.system_line + int(system.region_line[region]),
        )


@pytest.mark.parametrize("profile", ["conll17", "conll18"])
def test_a_passage_cut_out_equals_that_of_the_whole_files(profile: str) -> None:
    random = Random(7)
    compared_passages = regions = 0
    while compared_passages < 400:
        try:
            compared = evaluation.compare(*draw_pair(random.randrange, LONG), profile)
        except evaluation.InvalidFile:
            continue
        passages, cut = Passages(compared), Cut(compared)
        regions += cut.regions
        for sentence in range(compared.gold.sentences):
            assert cut.passage_of(sentence) == passages.passage_of(sentence)
            compared_passages += 1
    assert regions > 100, "the files must have had places to cut at"


def test_a_range_after_a_boundary_is_not_separated_from_earlier_words_of_its_region() -> None:
    """The system lags behind at the boundary; the range of the next sentence aligns with a word before it."""
    gold = "1 abc X 0 root\n\n1-2 dd\n1 c X 0 root\n2 d X 1 dep"
    system = "1 a X 0 root\n2 b X 1 dep\n3 c X 1 dep\n\n1 dd X 0 root"
    compared = comparison(gold, system)
    assert (compared.alignment.gold.tolist(), compared.alignment.system.tolist()) == ([1], [2])
    assert system_sentences(compared).region_gold.tolist() == [0, 2]
    assert Cut(compared).passage_of(1) == Passages(compared).passage_of(1)


def test_a_passage_of_real_files_cut_out_equals_that_of_the_whole(conll17: Path) -> None:
    random = Random(17)
    cut_otherwise = 0
    for treebank in ("he", "sl_sst", "vi", "zh"):
        gold = evaluation.read(conll17 / treebank / "gold.conllu")
        for file in random.sample(sorted((conll17 / treebank / "system").iterdir()), 4):
            try:
                compared = evaluation.compare(gold, file, "conll17")
            except evaluation.InvalidFile:
                continue
            result, cut, whole = system_sentences(compared), Cut(compared), Passages(compared)
            odd = np.flatnonzero(result.words_differ | result.sentence_differs).tolist()
            for sentence in random.sample(odd, min(len(odd), 8)) + random.sample(range(gold.sentences), 2):
                assert cut.passage_of(sentence) == whole.passage_of(sentence)
                cut_otherwise += sentence in odd
    assert cut_otherwise > 60


def test_errors_are_those_that_diffs_count() -> None:
    random = Random(3)
    for _ in range(100):
        try:
            compared = evaluation.compare(*draw_pair(random.randrange, LONG), "conll17")
        except evaluation.InvalidFile:
            continue
        counts = evaluation.counts_by_unit(compared)
        las, words, sentences = (
            counts.values[:, counts.metrics.index(name)] for name in ("LAS", "Words", "Sentences")
        )
        result = system_sentences(compared)
        assert result.errors.tolist() == (las[:, :2].max(axis=1) - las[:, 2]).tolist()
        assert result.sentence_differs.tolist() == (sentences[:, 2] == 0).astype(int).tolist()
        not_found = words[:, :2].max(axis=1) != words[:, 2]
        assert (result.words_differ[not_found] == 1).all()
        wrong = result.is_wrong(compared.gold.words)
        assert np.count_nonzero(wrong) == las[:, 0].sum() - las[:, 2].sum()


def test_systems_decide_alike_exactly_where_heads_and_relations_are_alike() -> None:
    gold = "1 a X 0 root\n2 b X 1 obj\n\n1 c X 0 root\n2 d X 1 obj\n\n1 e X 0 root\n2 f X 1 obj"
    other = "1 a Y 0 root\n2 b Y 1 obj:x\n\n1 c X 2 obj\n2 d X 0 root\n\n1 e X 0 root\n2 f X 1 obl"
    same = system_sentences(comparison(gold, gold)).decisions
    assert (system_sentences(comparison(gold, other)).decisions == same).tolist() == [True, False, False]


def test_relations_that_are_missed_or_wrongly_given_can_be_found() -> None:
    gold = "1 a X 0 root\n2 b X 1 obj\n\n1 c X 0 root\n2 d X 1 nsubj:pass"
    system = "1 a X 0 root\n2 b X 1 obl\n\n1 c X 0 root\n2 d X 1 nsubj"
    result = system_sentences(comparison(gold, system))
    named = [(int(s), result.relations[r]) for s, r in zip(result.wrong_sentence, result.wrong, strict=True)]
    assert sorted(named) == [(0, "obj"), (0, "obl")]
    in_gold = gold_sentences(evaluation.read(conllu(gold)))
    pairs = zip(in_gold.relation_sentence, in_gold.relation, strict=True)
    assert (1, "nsubj") in [(int(s), in_gold.relations[r]) for s, r in pairs]


def test_gold_sentences_tell_text_lemmas_length_and_crossing_arcs() -> None:
    file = conllu(
        "# sent_id = s1\n# text = Ab c!\n1 Ab X 0 root\n2 c X 1 dep\n3 ! X 1 punct\n\n"
        "1-2 vom\n1 von X 3 a\n2 dem X 4 b\n3 x X 0 root\n4 y X 3 c"
    )
    result = GoldSentences.from_bytes(gold_sentences(evaluation.read(file)).to_bytes())
    assert result.texts == ["Ab c!", "vom x y"]
    assert result.ids == ["s1", ""]
    assert result.lemmas == ["\tab\tc\t!\t", "\tvon\tdem\tx\ty\t"]
    assert result.words.tolist() == [3, 4]
    assert result.nonprojective.tolist() == [0, 1]
    assert file[result.begin[1] : result.begin[2]].startswith(b"1-2\tvom")
    assert file.split(b"\n")[result.line[1]].startswith(b"1-2\tvom")


def test_statistics_of_a_treebank() -> None:
    file = conllu(
        "1-2 vom\n1 von ADP 3 case\n2 dem DET 4 det\n3 x NOUN 0 root\n4 y NOUN 3 nmod:poss\n\n1 z X 0 root"
    )
    result = statistics(evaluation.read(file))
    assert (result.sentences, result.tokens, result.words, result.multi_word_tokens) == (2, 4, 5, 1)
    assert (result.mean_length, result.longest_sentence, result.nonprojective_share) == (2.5, 4, 0.5)
    assert dict(result.relations) == {"root": 2, "case": 1, "det": 1, "nmod": 1}
    assert next(iter(result.upos)) == "NOUN"
    assert Statistics.from_dict(result.as_dict()) == result


@pytest.mark.parametrize(
    "harm", [lambda b: b[:-3], lambda b: b"", lambda b: b[:8] + b"no", lambda b: b"\0" * 40]
)
def test_damaged_bytes_are_refused_and_nothing_else_happens(harm) -> None:  # type: ignore[no-untyped-def]
    stored = gold_sentences(evaluation.read(conllu("1 a X 0 root"))).to_bytes()
    with pytest.raises(ValueError, match="damaged"):
        GoldSentences.from_bytes(harm(stored))


def test_a_file_with_a_relation_for_every_word_keeps_the_stored_index_small() -> None:
    gold = "\n\n".join(["1 a X 0 root\n2 b X 1 dep"] * 1000)
    system = "\n\n".join(f"1 a X 0 root\n2 b X 1 r{n}" for n in range(1000))
    result = system_sentences(comparison(gold, system))
    assert len(result.relations) == 200
    assert len(result.to_bytes()) < 20_000
    assert result.errors.sum() == 1000


def test_the_places_count_in_the_text_as_it_is_read() -> None:
    """Line ends of other kinds are made plain before anything is counted."""
    plain = conllu("1 a X 0 root\n\n1 b X 0 root")
    read = evaluation.read(plain.replace(b"\n", b"\r\n"))
    result = gold_sentences(read)
    assert result.begin[-1] == len(plain) == len(read.layout.data) - PADDING


def test_words_out_of_a_sentence_that_is_too_long_are_judged_as_in_the_whole() -> None:
    """Whatever of the passage lies inside the gold sentence is the same, but for heads that are not shown."""
    random, narrowed = Random(5), 0
    while narrowed < 150:
        try:
            compared = evaluation.compare(*draw_pair(random.randrange, LONG), "conll18")
        except evaluation.InvalidFile:
            continue
        result = system_sentences(compared, large=0)
        system = compared.system.layout.data
        for sentence in range(compared.gold.sentences):
            lines = system[result.lines_begin[sentence] : result.lines_end[sentence]].tobytes()
            block = compared.gold.sentence_source(sentence).encode()
            assert result.lines_end[sentence], "every region is larger than nothing"
            try:
                narrow = excerpt_passage(block, lines, compare_2018)
            except InvalidExcerpt:
                continue
            whole = Passages(compared).passage_of(sentence)
            inside = [word for word in whole.system.words if word.judgement.is_inside]
            assert [word.judgement for word in narrow.gold.words] == [
                word.judgement for word in whole.gold.words
            ]
            assert [word.judgement for word in narrow.system.words] == [word.judgement for word in inside]
            assert [word.form for word in narrow.system.words] == [word.form for word in inside]
            narrowed += 1


def test_a_file_of_one_sentence_is_reduced_to_the_words_of_gold() -> None:
    gold = "\n\n".join(f"1 a{n} X 0 root\n2 b X 1 obj" for n in range(300))
    words = [line.split(" ")[1] for line in gold.splitlines() if line]
    system = "\n".join(
        f"{n} {word} X {n - 1} {'obj' if n > 1 else 'root'}" for n, word in enumerate(words, 1)
    )
    compared = comparison(gold, system)
    result = system_sentences(compared, large=1000)
    begin, end = int(result.lines_begin[200]), int(result.lines_end[200])
    assert end - begin < 100
    narrow = excerpt_passage(
        compared.gold.sentence_source(200).encode(),
        compared.system.layout.data[begin:end].tobytes(),
        compare_2018,
    )
    assert [(word.form, word.judgement.wrong) for word in narrow.system.words] == [
        ("a200", {"head", "relation"}),
        ("b", frozenset()),
    ]
    assert narrow.system.words[0].head == OUTSIDE


def test_forms_with_spaces_and_separators_survive_the_renumbering() -> None:
    """U+2028 and the vertical tab end no line, and double spaces no column."""
    forms = ["a\u2028b", "c  d", "e\x0bf"]
    line = "{}\t{}\t\tX\t_\tCase=Nom|Case=Nom\t{}\tdep\t_\t\n"
    gold = "".join(line.format(n, form, n - 1) for n, form in enumerate(forms, start=1)) + "\n"
    excerpt = "".join(line.format(n, form, n - 1) for n, form in enumerate(forms, start=7))
    passage = excerpt_passage(gold.encode(), excerpt.encode(), compare_2018)
    assert [word.form for word in passage.system.words] == forms
    assert passage.system.words[0].columns[2:6] == ("", "X", "_", "Case=Nom|Case=Nom")
    assert [word.head for word in passage.system.words] == [OUTSIDE, 0, 1]


def test_where_only_heads_are_compared_neither_classes_nor_missing_relations_are_errors() -> None:
    line = "{}\tw\t_\t_\t_\t{}\t_\t{}\t{}\n"
    gold = line.format(1, "NOUN", 2, "nsubj") + line.format(2, "VERB", 0, "root") + "\n"
    system = line.format(1, "c1", 2, "_") + line.format(2, "c2", 0, "_") + "\n"
    wrong = line.format(1, "c1", 0, "_") + line.format(2, "c2", 1, "_") + "\n"
    compared = evaluation.compare(gold.encode(), system.encode(), "pascal12")
    assert system_sentences(compared).errors.tolist() == [0]
    assert not system_sentences(compared).is_wrong(2).any()
    passage = Passages(compared).passage_of(0)
    assert not any(word.judgement.has_error for word in (*passage.gold.words, *passage.system.words))
    labelled = system.replace("c1\t_\t2\t_", "c1\t_\t2\tobj")
    both = [evaluation.compare(gold.encode(), file.encode(), "pascal12") for file in (system, labelled)]
    assert len({system_sentences(each).decisions.tolist()[0] for each in both}) == 1
    compared = evaluation.compare(gold.encode(), wrong.encode(), "pascal12")
    assert system_sentences(compared).errors.tolist() == [2]
    assert [word.judgement.wrong for word in Passages(compared).passage_of(0).system.words] == [{"head"}] * 2
