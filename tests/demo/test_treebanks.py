"""The demo treebanks are valid CoNLL-U, and each shows what demo/README.md promises of it."""

import unicodedata
from itertools import pairwise
from pathlib import Path

import conllu
import pytest

import evaluation

DEMO = Path(__file__).parents[2] / "demo"
TRAINING = "train/en_par"
CODES = ("ar_suq", "cs_par", "de_garten", "en_par", "es_cocina", "ja_eki", "sl_pogovor", "vi_cho")
UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated
    expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum
    root vocative xcomp
"""

Words = list[conllu.models.Token]


def path_of(code: str) -> Path:
    return DEMO / f"{code}.conllu" if code == TRAINING else DEMO / "gold" / f"{code}.conllu"


def sentences(code: str) -> conllu.models.SentenceList:
    return conllu.parse(path_of(code).read_text(encoding="utf-8"))


def words(sentence: conllu.models.TokenList) -> Words:
    return [line for line in sentence if isinstance(line["id"], int)]


def ranges(sentence: conllu.models.TokenList) -> Words:
    return [line for line in sentence if isinstance(line["id"], tuple) and line["id"][1] == "-"]


def empty_nodes(sentence: conllu.models.TokenList) -> Words:
    return [line for line in sentence if isinstance(line["id"], tuple) and line["id"][1] == "."]


def surface_tokens(sentence: conllu.models.TokenList) -> Words:
    inside = {number for token in ranges(sentence) for number in range(token["id"][0], token["id"][2] + 1)}
    hidden = inside | {node["id"] for node in empty_nodes(sentence)}
    return [line for line in sentence if line["id"] not in hidden]


def forms(code: str) -> set[str]:
    return {line["form"] for sentence in sentences(code) for line in sentence}


def multiword_forms(code: str) -> set[str]:
    return {token["form"].lower() for sentence in sentences(code) for token in ranges(sentence)}


def tags(code: str) -> set[str]:
    return {word["upos"] for sentence in sentences(code) for word in words(sentence)}


def relations(code: str) -> set[str]:
    return {word["deprel"] for sentence in sentences(code) for word in words(sentence)}


def ancestors(number: int, heads: dict[int, int]) -> list[int]:
    """The heads from a word up to the root (0), or as far as a cycle lets one climb."""
    path: list[int] = []
    while number and heads[number] not in path:
        number = heads[number]
        path.append(number)
    return path


def is_projective(sentence: conllu.models.TokenList) -> bool:
    heads = {word["id"]: word["head"] for word in words(sentence)}
    return all(
        head in ancestors(between, heads)
        for number, head in heads.items()
        for between in range(min(number, head) + 1, max(number, head))
    )


def nonprojective(code: str) -> int:
    return sum(not is_projective(sentence) for sentence in sentences(code))


def test_the_folder_holds_the_eight_treebanks_and_nothing_else() -> None:
    assert sorted(path.name for path in (DEMO / "gold").iterdir()) == [f"{code}.conllu" for code in CODES]
    assert [path.name for path in (DEMO / "train").iterdir()] == ["en_par.conllu"]


@pytest.mark.parametrize("code", [*CODES, TRAINING])
class TestEveryTreebank:
    def test_it_is_plain_utf8_with_ten_columns_and_ends_in_a_blank_line(self, code: str) -> None:
        data = path_of(code).read_bytes()
        text = data.decode("utf-8")
        assert text.endswith("\n\n") and not text.endswith("\n\n\n")
        assert "\r" not in text and "\ufeff" not in text
        assert text == unicodedata.normalize("NFC", text)
        lines = [line for line in text.split("\n") if line and not line.startswith("#")]
        assert {len(line.split("\t")) for line in lines} == {10}
        assert all(column == column.strip() != "" for line in lines for column in line.split("\t"))

    def test_it_has_20_to_40_sentences_in_3_to_6_documents(self, code: str) -> None:
        """Training data has more."""
        treebank = sentences(code)
        assert len(treebank) == 60 if code == TRAINING else 20 <= len(treebank) <= 40
        assert "newdoc id" in treebank[0].metadata
        comments = [sentence.metadata for sentence in treebank]
        documents = [comment["newdoc id"] for comment in comments if "newdoc id" in comment]
        assert 3 <= len(documents) == len(set(documents)) <= 6
        assert len({comment["sent_id"] for comment in comments}) == len(treebank)

    def test_words_are_numbered_in_sequence(self, code: str) -> None:
        for sentence in sentences(code):
            numbers = [word["id"] for word in words(sentence)]
            assert numbers == list(range(1, len(numbers) + 1)), sentence.metadata

    def test_ranges_stand_before_their_words_and_never_overlap(self, code: str) -> None:
        for sentence in sentences(code):
            spans = [(token["id"][0], token["id"][2]) for token in ranges(sentence)]
            assert all(first < last <= len(words(sentence)) for first, last in spans), sentence.metadata
            assert all(left[1] < right[0] for left, right in pairwise(spans)), sentence.metadata
            following = [after["id"] for before, after in pairwise(sentence) if before in ranges(sentence)]
            assert following == [first for first, _ in spans], sentence.metadata

    def test_every_sentence_is_a_tree_with_one_root(self, code: str) -> None:
        for sentence in sentences(code):
            heads = {word["id"]: word["head"] for word in words(sentence)}
            roots = [word for word in words(sentence) if word["head"] == 0]
            assert [root["deprel"] for root in roots] == ["root"], sentence.metadata
            assert set(heads.values()) <= {0, *heads}, sentence.metadata
            assert all(ancestors(number, heads)[-1] == 0 for number in heads), sentence.metadata

    def test_text_is_the_surface_forms_joined(self, code: str) -> None:
        for sentence in sentences(code):
            joined = "".join(
                token["form"] + ("" if (token["misc"] or {}).get("SpaceAfter") == "No" else " ")
                for token in surface_tokens(sentence)
            )
            assert sentence.metadata["text"] == joined.strip()

    def test_tags_and_relations_are_universal(self, code: str) -> None:
        assert tags(code) <= set(UPOS.split())
        assert {relation.partition(":")[0] for relation in relations(code)} <= set(RELATIONS.split())

    def test_our_validator_has_nothing_to_say(self, code: str) -> None:
        text = "\n".join(sentence.metadata["text"] for sentence in sentences(code))
        report = evaluation.validate(path_of(code), text=text)
        assert report.incidents == ()
        assert report.valid


def test_german_has_fused_prepositions_relation_subtypes_and_crossing_arcs() -> None:
    assert multiword_forms("de_garten") >= {"zum", "im", "am", "beim", "ins"}
    assert relations("de_garten") >= {"det:poss", "compound:prt", "nsubj:pass", "aux:pass", "expl:pv"}
    assert nonprojective("de_garten") >= 1


def test_spanish_has_clitics_and_inverted_marks() -> None:
    assert multiword_forms("es_cocina") >= {"dámelo", "al", "del", "comprarlos", "sirviéndoselo"}
    assert forms("es_cocina") >= {"¿", "?", "¡", "!"}


def test_english_has_contractions_and_an_empty_node() -> None:
    assert multiword_forms("en_par") >= {"don't", "it's", "town's", "we'll"}
    empty = [node for sentence in sentences("en_par") for node in empty_nodes(sentence)]
    assert [(node["id"], node["form"]) for node in empty] == [((8, ".", 1), "saved")]


def test_training_data_has_words_of_its_test_set_and_none_of_its_sentences() -> None:
    """Something can be learned from it, and nothing copied."""
    gold, training = ({sentence.metadata["text"] for sentence in sentences(c)} for c in ("en_par", TRAINING))
    assert not gold & training
    known = forms(TRAINING)
    seen = [word["form"] in known for sentence in sentences("en_par") for word in words(sentence)]
    assert 0.5 < sum(seen) / len(seen) < 0.9


def test_czech_has_crossing_arcs_and_split_conjunctions() -> None:
    assert nonprojective("cs_par") >= 3
    assert multiword_forms("cs_par") >= {"abych", "aby", "kdyby"}


def test_the_parallel_treebanks_go_sentence_by_sentence() -> None:
    english, czech = (
        [(sentence.metadata["sent_id"], sentence.metadata.get("newdoc id")) for sentence in sentences(code)]
        for code in ("en_par", "cs_par")
    )
    assert english == czech


def test_vietnamese_has_words_with_spaces() -> None:
    assert any(" " in form for form in forms("vi_cho"))


def test_japanese_is_written_without_spaces() -> None:
    assert not any(" " in sentence.metadata["text"] for sentence in sentences("ja_eki"))


def test_arabic_runs_from_right_to_left() -> None:
    letters = [letter for form in forms("ar_suq") for letter in form if letter.isalpha()]
    assert letters
    assert {unicodedata.bidirectional(letter) for letter in letters} == {"AL"}


def test_slovenian_speech_has_no_punctuation() -> None:
    assert "punct" not in relations("sl_pogovor")
    assert "PUNCT" not in tags("sl_pogovor")
