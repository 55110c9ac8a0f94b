"""The trees of gold and several systems for one sentence, one above the other."""

from evaluation.showing.aligned_trees import align_trees, single_tree
from evaluation.showing.draw import draw_aligned
from evaluation.showing.passage import Passage, Passages
from evaluation.showing.words import OUTSIDE
from tests.evaluation.small_files import comparison, star

GOLD = "1 New X 2 flat\n2 York X 0 root\n3 ! X 2 punct"
JOINED = "1 NewYork X 0 root\n2 ! X 1 punct"
WRONG = "1 New X 0 root\n2 York X 1 flat\n3 ! X 2 punct"


def passage(gold: str, system: str) -> Passage:
    return Passages(comparison(gold, system)).passage_of(0)


def test_partners_of_all_systems_share_a_row() -> None:
    aligned = align_trees([passage(GOLD, JOINED), passage(GOLD, WRONG)])
    assert aligned.rows == ((0, None, 0), (None, 0, None), (1, None, 1), (2, 1, 2))


def test_words_that_only_systems_have_stand_side_by_side() -> None:
    gold = "1 abc X 0 root\n2 ! X 1 punct"
    parted = "1 a X 0 root\n2 bc X 1 dep\n3 ! X 1 punct"
    aligned = align_trees([passage(gold, parted), passage(gold, parted)])
    assert aligned.rows == ((0, None, None), (None, 0, 0), (None, 1, 1), (1, 2, 2))


def test_gold_is_marked_with_what_every_system_got_wrong() -> None:
    right, wrong = passage(GOLD, GOLD), passage(GOLD, WRONG)
    assert [word.judgement.wrong for word in align_trees([wrong]).trees[0].words[:2]] == [
        {"head", "relation"},
        {"head", "relation"},
    ]
    assert all(not word.judgement.has_error for word in align_trees([wrong, right]).trees[0].words)
    # Whoever has no such word has nothing right about it.
    both = align_trees([wrong, passage(GOLD, JOINED)]).trees[0].words
    assert both[0].judgement.wrong == {"head", "relation"}
    assert both[0].judgement.is_aligned


def test_a_piece_of_a_long_sentence_keeps_its_rows_and_cuts_its_arcs() -> None:
    whole = align_trees([passage(star(50), star(50, root=30))])
    piece = whole.piece(20, 40)
    assert len(piece.rows) == 20
    assert piece.rows[0] == (0, 0)
    assert [word.form for word in piece.trees[0].words] == [f"w{n}" for n in range(21, 41)]
    assert {word.head for word in piece.trees[0].words} == {OUTSIDE}
    assert piece.trees[1].words[0].head == 9


def test_a_piece_in_which_a_system_has_no_word_can_be_drawn() -> None:
    gold = "\n".join(["1 a X 0 root", *(f"{n} a X 1 dep" for n in range(2, 11))])
    piece = align_trees([passage(gold, "1 aaaaaaaaaa X 0 root")]).piece(2, 6)
    assert piece.trees[1].words == ()
    assert "<svg" in draw_aligned(piece, ["gold", "one"], title="A piece")


def test_names_and_forms_are_written_as_text() -> None:
    markup = "<script>"
    aligned = align_trees([passage(f"1 {markup} X 0 root", f"1 {markup} X 0 {markup}")])
    drawn = draw_aligned(aligned, ["gold", "<b>\u202eus</b>"], title="<i>")
    assert "<script>" not in drawn
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert "\u202e" not in drawn


def test_gold_alone_is_drawn_without_a_system() -> None:
    aligned = single_tree(passage(GOLD, GOLD).gold)
    drawn = draw_aligned(aligned, ["gold"], title="Gold")
    assert 'class="system"' not in drawn
    assert ">York<" in drawn
