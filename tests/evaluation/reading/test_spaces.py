"""The spaces that `conll18` removes are those of the Unicode category."""

import sys
import unicodedata

from evaluation.reading.treebank import ZS_SPACES


def test_the_listed_spaces_are_all_of_category_zs() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    assert set(ZS_SPACES) == {space.encode() for space in every if unicodedata.category(space) == "Zs"}
