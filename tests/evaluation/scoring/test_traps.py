"""Corner cases that evaluators are known to get wrong, also compared with the slow reference."""

import time

import pytest

import evaluation
from evaluation import Options
from tests.evaluation import oracle

BOTH = ("conll17", "conll18")


def word(id: object, form: str = "a", head: object = 0, relation: str = "root", **columns: str) -> str:
    given = {"lemma": "_", "upos": "_", "xpos": "_", "feats": "_", **columns}
    middle = "\t".join((given["lemma"], given["upos"], given["xpos"], given["feats"]))
    return f"{id}\t{form}\t{middle}\t{head}\t{relation}\t_\t_\n"


def span(id: str, form: str) -> str:
    return f"{id}\t{form}" + "\t_" * 8 + "\n"


def counts(gold: str, system: str, profile: str = "conll18") -> oracle.Counts:
    """Our counts, once they are known to equal the reference's."""
    pair = gold.encode(), system.encode()
    result = oracle.ours(*pair, profile, Options())
    expected = oracle.reference(*pair, profile, Options())
    assert result is not None and expected is not None
    totals = oracle.totals(result)
    assert totals == {name: expected.totals[name] for name in totals}
    return totals


def correct(gold: str, system: str, metric: str, profile: str = "conll18") -> int:
    return counts(gold, system, profile)[metric][2]


def test_lower_casing_that_changes_the_length() -> None:
    gold = span("1-2", "İx") + word(1, "İ") + word(2, "x", 1) + "\n"
    system = span("1-2", "İx") + word(1, "i\u0307") + word(2, "X", 1) + "\n"
    assert correct(gold, system, "Words") == 2


def test_final_sigma_is_lowered_within_its_word_alone() -> None:
    gold = span("1-2", "ΟΔΟΣΑ") + word(1, "ΟΔΟΣ") + word(2, "Α", 1) + "\n"
    assert correct(gold, gold.replace("\tΟΔΟΣ\t", "\tοδος\t"), "Words") == 2
    assert correct(gold, gold.replace("\tΟΔΟΣ\t", "\tοδοσ\t"), "Words") == 1


def test_sharp_s_is_not_folded() -> None:
    gold = span("1-1", "ß") + word(1, "ß") + "\n"
    assert correct(gold, span("1-1", "ß") + word(1, "ẞ") + "\n", "Words") == 1
    assert correct(gold, span("1-1", "ß") + word(1, "ss") + "\n", "Words") == 0


def test_spaces_of_category_zs_are_removed_by_conll18_only() -> None:
    gold, system = word(1, "1 000") + "\n", word(1, "1\u00a0000") + "\n"
    assert correct(gold, system, "Words") == 1
    with pytest.raises(evaluation.InvalidFile):
        evaluation.score(gold.encode(), system.encode(), "conll17")
    assert correct(gold, word(1, "1000") + "\n", "Words", "conll17") == 1


def test_a_zero_width_space_stays() -> None:
    with pytest.raises(evaluation.InvalidFile):
        evaluation.score((word(1, "ab") + "\n").encode(), (word(1, "a\u200bb") + "\n").encode())


def test_words_inside_a_range_keep_their_spaces_and_words_outside_lose_them() -> None:
    inside = span("1-1", "ab") + word(1, "a b") + "\n"
    outside = word(1, "a b") + "\n"
    assert correct(inside, inside, "Words") == 1
    assert correct(inside, outside, "Words") == 0
    assert correct(span("1-1", "ab") + word(1, "ab") + "\n", outside, "Words") == 1


@pytest.mark.parametrize(
    "form", ["e\u0301", "𝒳", "👩‍👩‍👧", "\u2028", "\x85", "\x0b", "\x00", "\x1c", "\u202e"]
)
@pytest.mark.parametrize("profile", BOTH)
def test_odd_characters_are_characters(form: str, profile: str) -> None:
    gold = word(1, f"{form}b") + word(2, "c", 1) + "\n"
    system = word(1, form) + word(2, "b", 1) + word(3, "c", 1) + "\n"
    assert counts(gold, system, profile)["Words"] == (2, 3, 1, None)


def test_a_mark_may_be_split_from_its_letter() -> None:
    gold = word(1, "e\u0301") + "\n"
    system = word(1, "e") + word(2, "\u0301", 1) + "\n"
    assert counts(gold, system)["Tokens"] == (1, 2, 0, None)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends(end: str) -> None:
    gold = "# text = ab\n" + word(1, "a") + word(2, "b", 1) + "\n" + word(1, "c") + "\n"
    assert correct(gold, gold.replace("\n", end), "Words") == 3
    same = evaluation.read(gold.replace("\n", end).encode())
    assert same.sha256 == evaluation.read(gold.encode()).sha256


def test_comments_that_look_like_tokens() -> None:
    gold = "#1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n# 1-2\tab\n" + word(1, "#") + word(2, "b", 1) + "\n"
    assert correct(gold, gold.replace("#1\ta", "# nothing"), "Words") == 2


def test_comments_at_the_end_of_the_file() -> None:
    assert evaluation.validate((word(1) + "\n# done\n#").encode()).valid


def test_a_range_that_starts_the_sentence_and_one_of_a_single_word() -> None:
    gold = span("1-2", "ab") + word(1, "a") + word(2, "b", 1) + span("3-3", "c") + word(3, "c", 1) + "\n"
    system = word(1, "a") + word(2, "b", 1) + word(3, "c", 1) + "\n"
    assert counts(gold, system)["Tokens"] == (2, 3, 1, None)
    assert correct(gold, system, "UAS") == 3


def test_a_range_spans_a_hundred_words_and_no_more() -> None:
    words = "".join(word(n, "a", n - 1, "dep") for n in range(1, 102)) + "\n"
    assert correct(span("1-100", "a" * 100) + words, words, "Words") == 101
    report = evaluation.validate((span("1-101", "a" * 101) + words).encode())
    assert dict(report.counts) == {"range-too-long": 1}


def test_columns_are_separated_by_tabs_alone() -> None:
    gold = word(1, "a  b", lemma="a  b", xpos="x y") + "\n"
    assert counts(gold, gold)["Lemmas"][2] == counts(gold, gold)["AllTags"][2] == 1
    assert correct(gold, gold.replace("\ta  b\t_", "\ta b\t_"), "Lemmas") == 0


def test_a_metric_over_no_words_is_zero() -> None:
    gold = (word(1, relation="unheard") + "\n").encode()
    tally = evaluation.score(gold, gold).metrics["CLAS"]
    assert (tally.gold, tally.system) == (0, 0)
    assert (tally.precision, tally.recall, tally.f1, tally.aligned_accuracy) == (0, 0, 0, 0)


def test_empty_nodes_are_skipped_inside_ranges_too() -> None:
    gold = span("1-2", "ab") + word(1, "a") + word(2, "b", 1) + "\n"
    nodes = [span("0.1", "x"), span("1.1", ""), span("2.1", "z"), span("2.99999999999", "z")]
    system = (
        nodes[0] + span("1-2", "ab") + word(1, "a") + nodes[1] + word(2, "b", 1) + nodes[2] + nodes[3] + "\n"
    )
    assert correct(gold, system, "LAS") == 2
    assert evaluation.validate(system.encode()).counts == {}


def test_an_empty_form_inside_a_range_equals_an_empty_form() -> None:
    gold = span("1-2", "ab") + word(1, "ab") + word(2, "", 1) + "\n"
    assert correct(gold, gold, "Words") == 2
    assert correct(gold, word(1, "ab") + "\n", "Words") == 1


def test_functional_children_count_in_the_order_of_words() -> None:
    tree = word(1, "a", 3, "det") + word(2, "b", 3, "case") + word(3, "c") + "\n"
    assert correct(tree, tree, "MLAS") == 1
    swapped = word(1, "a", 3, "case") + word(2, "b", 3, "det") + word(3, "c") + "\n"
    assert correct(tree, swapped, "MLAS") == 0
    fewer = word(1, "a", 3, "det") + word(2, "b", 3, "dep") + word(3, "c") + "\n"
    assert correct(tree, fewer, "MLAS") == 0


def test_an_unaligned_functional_child_never_agrees() -> None:
    gold = word(1, "ab", 2, "det") + word(2, "c") + "\n"
    system = word(1, "a", 3, "det") + word(2, "b", 3, "dep") + word(3, "c") + "\n"
    assert correct(gold, system, "LAS") == 1
    assert correct(gold, system, "MLAS") == 0


def test_no_lemma_in_gold_and_no_lemma_in_the_system() -> None:
    with_lemma, without = word(1, lemma="b") + "\n", word(1) + "\n"
    assert correct(without, with_lemma, "Lemmas") == 1
    assert correct(with_lemma, without, "Lemmas") == 0
    assert correct(without, with_lemma, "Lemmas", "conll17") == 0
    assert correct(without, with_lemma, "BLEX") == 1


@pytest.mark.parametrize(
    ("gold", "system", "same_18", "same_17"),
    [
        ("Case=Nom|Number=Sing", "Number=Sing|Case=Nom", 1, 0),
        ("Case=Nom", "Case=Nom|Foo=Bar", 1, 0),
        ("Case=Nom", "Case=Nom|Gender[psor]=Fem", 1, 0),
        ("Case=Nom", "Case=Nom|Case=Nom", 0, 0),
        ("Case=Nom", "case=Nom", 0, 0),
        ("_", "Foo=Bar", 1, 0),
        ("_", "", 1, 0),
        ("Case", "Case", 1, 1),
        ("Case", "_", 0, 0),
    ],
)
def test_features(gold: str, system: str, same_18: int, same_17: int) -> None:
    left, right = word(1, feats=gold) + "\n", word(1, feats=system) + "\n"
    assert correct(left, right, "UFeats") == same_18
    assert correct(left, right, "Feats", "conll17") == same_17


def test_a_relation_is_cut_at_its_first_colon() -> None:
    gold = word(1) + word(2, "b", 1, ":") + word(3, "c", 1, "") + "\n"
    system = gold.replace("\t:\t", "\t:x\t")
    assert correct(gold, system, "LAS") == 3
    assert counts(gold, system)["CLAS"][:3] == (1, 1, 1)
    assert counts(gold, system, "conll17")["CLAS"][:3] == (3, 3, 3)
    assert correct(gold.replace("\t:\t", "\tobl:a:b\t"), gold.replace("\t:\t", "\tobl:c\t"), "LAS") == 3


def test_an_unknown_relation_costs_one_relation() -> None:
    gold = word(1) + word(2, "b", 1, "nsubj") + "\n"
    assert evaluation.validate(gold.replace("nsubj", "subject").encode()).counts == {}
    assert correct(gold, gold.replace("nsubj", "subject"), "LAS") == 1


def test_the_system_counts_content_words_by_its_own_relations() -> None:
    gold = word(1) + word(2, "b", 1, "case") + "\n"
    system = word(1) + word(2, "b", 1, "nmod") + "\n"
    assert counts(gold, system)["CLAS"] == (1, 2, 1, 1)


def test_the_root_is_only_the_root() -> None:
    gold = word(1, "ab", 2, "dep") + word(2, "c") + "\n"
    system = word(1, "a", 2, "dep") + word(2, "b", 3, "dep") + word(3, "c") + "\n"
    assert correct(gold, system, "UAS") == 1
    other = word(1, "a", 3, "dep") + word(2, "b", 1, "dep") + word(3, "c", 0) + "\n"
    assert correct(gold, other, "UAS") == 1


def test_a_chain_of_a_hundred_thousand_words() -> None:
    words = 100_000
    chain = "".join(word(n, "a", n - 1, "dep") for n in range(1, words + 1)) + "\n"
    began = time.perf_counter()
    tallies = evaluation.score(chain.encode(), chain.encode()).metrics
    assert {name for name, tally in tallies.items() if tally.correct == words} >= {"UAS", "LAS", "Words"}
    upwards = "".join(word(n, "a", (n + 1) % (words + 1), "dep") for n in range(1, words + 1)) + "\n"
    assert evaluation.score(chain.encode(), upwards.encode()).metrics["UAS"].correct == 0
    bent = chain.replace("\t0\tdep", f"\t{words}\tdep", 1)
    assert dict(evaluation.validate(bent.encode()).counts) == {"no-root": 1}
    # With a root beside it, the ring is a cycle.
    report = evaluation.validate((bent[:-1] + word(words + 1, "a", 0) + "\n").encode())
    assert dict(report.counts) == {"cycle": 1}
    assert report.incidents[0].found.startswith(f"1 → {words} → {words - 1} → ")
    assert time.perf_counter() - began < 20


def test_one_range_over_a_whole_file() -> None:
    forms = [chr(97 + n % 7) for n in range(3000)]
    gold = "".join(word(1, form) + "\n" for form in forms)
    system = span("1-2", "".join(forms)) + word(1, "a") + word(2, "g", 1) + "\n"
    assert counts(gold, system)["Words"] == (3000, 2, 2, None)
    assert counts(system, gold)["Words"] == (2, 3000, 2, None)
    assert counts(system, system)["Words"] == (2, 2, 2, None)
