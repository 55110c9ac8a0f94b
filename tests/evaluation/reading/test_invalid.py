"""Files named after the incident that they must cause, and how they cause it.

The line is that of the first incident; a dash means none.
"""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

import evaluation
from evaluation import KINDS, Limits, Report

FOLDER = Path(__file__).parent / "invalid"

LINES = """
    byte-order-mark                              1
    byte-order-mark--before-a-comment            1
    comment-inside-sentence                      2
    comment-inside-sentence--inside-a-range      2
    comment-inside-sentence--looks-like-a-token  2
    comment-inside-sentence--several             4
    cycle                                        2
    cycle--itself                                2
    cycle--two-of-them                           2
    empty-file                                   -
    empty-file--blank-line                       -
    empty-file--comments                         -
    empty-form                                   2
    empty-form--no-break-space                   1
    empty-form--of-a-range                       1
    empty-form--spaces                           1
    empty-form-in-range                          2
    empty-node-out-of-place                      2
    empty-node-out-of-place--before-its-word     1
    empty-sentence                               3
    empty-sentence--at-the-end                   3
    empty-sentence--at-the-start                 1
    empty-sentence--comments-only                4
    empty-sentence--empty-nodes-only             3
    head-malformed--arabic-indic-digit           2
    head-malformed--decimal                      2
    head-malformed--exponent                     2
    head-malformed--inside-a-range               3
    head-malformed--leading-zero                 2
    head-malformed--minus                        2
    head-malformed--minus-zero-one               2
    head-malformed--nothing                      2
    head-malformed--nul                          2
    head-malformed--plus                         2
    head-malformed--space                        2
    head-malformed--superscript                  2
    head-malformed--underscore                   2
    head-malformed--word                         2
    head-negative                                2
    head-negative--huge                          2
    head-outside                                 2
    head-outside--empty-node-does-not-count      1
    head-outside--huge                           2
    id-malformed--arabic-indic-digit             2
    id-malformed--fullwidth-digit                2
    id-malformed--leading-zero                   2
    id-malformed--leading-zero-in-node           2
    id-malformed--leading-zero-in-range          2
    id-malformed--negative                       2
    id-malformed--node-of-a-node                 2
    id-malformed--nothing                        2
    id-malformed--nul                            2
    id-malformed--open-node                      2
    id-malformed--open-range                     2
    id-malformed--plus                           2
    id-malformed--range-of-node                  2
    id-malformed--range-of-three                 2
    id-malformed--space                          2
    id-malformed--underscore                     2
    id-malformed--word                           2
    id-out-of-sequence--gap                      2
    id-out-of-sequence--huge                     2
    id-out-of-sequence--inside-a-range           3
    id-out-of-sequence--missing-blank-line       2
    id-out-of-sequence--repeated                 2
    id-out-of-sequence--starts-at-two            3
    id-out-of-sequence--zero                     1
    no-final-blank-line                          3
    no-final-blank-line--carriage-return         2
    no-final-blank-line--cut-line-end            3
    no-root                                      3
    not-utf8                                     3
    not-utf8--cut-character                      1
    not-utf8--in-a-comment                       1
    not-utf8--surrogate                          1
    range-backwards                              1
    range-out-of-place--behind-its-first-word    2
    range-out-of-place--too-early                1
    range-out-of-place--zero                     1
    range-overlaps                               3
    range-overlaps--nested                       3
    range-overlaps--same                         2
    range-past-sentence                          2
    range-past-sentence--end-of-file             1
    range-past-sentence--no-word-behind-it       2
    range-past-sentence--then-a-good-one         1
    range-too-long                               1
    range-too-long--huge                         1
    several-roots                                2
    several-roots--many                          2
    wrong-columns--eleven                        1
    wrong-columns--line-separator-is-no-line-end 1
    wrong-columns--next-line-is-no-line-end      1
    wrong-columns--nine                          3
    wrong-columns--nul                           1
    wrong-columns--one                           1
    wrong-columns--spaces-for-tabs               2
    wrong-columns--vertical-tab-is-no-line-end   1
    wrong-columns--white-space                   2
"""

EXPECTED = {
    name: None if line == "-" else int(line) for name, line in map(str.split, LINES.strip().splitlines())
}
# Tested in `test_formats.py` and, those of enhanced dependencies, in `scoring/test_enhanced_edges.py`.
OF_OTHER_FORMATS = {
    "comment-not-allowed",
    "deps-head-outside",
    "deps-malformed",
    "deps-repeated",
    "deps-unconnected",
    "empty-node-cycle",
    "tokens-differ",
    "too-many-paths",
}
# These need size, a limit or a second file; the tests below give them.
GENERATED = {
    "unreadable-file",
    "file-too-large",
    "too-much-memory",
    "line-too-long",
    "sentence-too-long",
    "text-differs",
    "white-space-in-token",
    "characters-differ",
}
GOOD = b"1\tok\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def test_table_names_every_file() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(EXPECTED)


def test_every_kind_of_incident_is_given_by_some_file() -> None:
    assert {name.partition("--")[0] for name in EXPECTED} | GENERATED | OF_OTHER_FORMATS == set(KINDS)


@pytest.mark.parametrize("name", EXPECTED)
def test_incident_and_line(name: str) -> None:
    report = evaluation.validate(FOLDER / f"{name}.conllu")
    id = name.partition("--")[0]
    assert set(report.counts) == {id}
    assert report.incidents[0].line == EXPECTED[name]
    assert report.valid == (not KINDS[id].fatal)
    for incident in report.incidents:
        assert incident.found and incident.expected
        assert incident.message.isprintable()


@pytest.mark.parametrize("name", EXPECTED)
def test_reading_refuses_what_is_fatal(name: str) -> None:
    path = FOLDER / f"{name}.conllu"
    if not KINDS[name.partition("--")[0]].fatal or name == "empty-form--no-break-space":
        # Whether U+00A0 is a space is for the profile to say, so such a file can be read.
        assert evaluation.read(path).words
        return
    with pytest.raises(evaluation.InvalidFile) as caught:
        evaluation.read(path)
    assert caught.value.report == evaluation.validate(path)


def _only(report: Report) -> evaluation.Incident:
    (incident,) = report.incidents
    assert dict(report.counts) == {incident.id: 1}
    return incident


def test_unreadable_files(tmp_path: Path) -> None:
    assert _only(evaluation.validate(tmp_path / "missing.conllu")).id == "unreadable-file"
    assert _only(evaluation.validate(tmp_path)).id == "unreadable-file"
    for pack in (gzip.compress, lzma.compress, bz2.compress):
        packed = pack(GOOD * 1000)
        assert evaluation.validate(packed).valid
        assert evaluation.validate(packed + packed).valid
        assert _only(evaluation.validate(packed[: len(packed) // 2])).id == "unreadable-file"
        damaged = bytearray(packed)
        damaged[len(packed) // 2] ^= 0xFF
        assert not evaluation.validate(bytes(damaged)).valid


def test_xz_that_asks_for_gigabytes_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28, "mode": lzma.MODE_FAST, "mf": lzma.MF_HC3}]
    packed = lzma.compress(GOOD, filters=filters)
    incident = _only(evaluation.validate(packed))
    assert incident.id == "unreadable-file"
    assert "emory" in incident.found


def test_limits() -> None:
    incident = _only(evaluation.validate(GOOD * 10, limits=Limits(max_bytes=len(GOOD) * 10 - 1)))
    assert incident.id == "file-too-large"
    assert evaluation.validate(GOOD * 10, limits=Limits(max_bytes=len(GOOD) * 10)).valid

    longest = len(GOOD) - 2
    report = evaluation.validate(
        GOOD * 10, limits=Limits(max_line_bytes=longest - 1, max_incidents_per_kind=3)
    )
    assert (dict(report.counts), len(report.incidents)) == ({"line-too-long": 10}, 3)
    assert evaluation.validate(GOOD * 10, limits=Limits(max_line_bytes=longest)).valid

    words = b"".join(b"%d\ta\t_\t_\t_\t_\t%d\tdep\t_\t_\n" % (n, n - 1) for n in range(1, 12))
    incident = _only(evaluation.validate(GOOD + words + b"\n", limits=Limits(max_sentence_words=10)))
    assert (incident.id, incident.line, incident.sentence) == ("sentence-too-long", 3, 2)
    assert evaluation.validate(words + b"\n", limits=Limits(max_sentence_words=11)).valid


def test_text_differs() -> None:
    assert evaluation.validate(GOOD + GOOD, text="o k\u2028o\u00a0k\n").valid
    incident = _only(evaluation.validate(GOOD + GOOD, text="ok\nno"))
    assert (incident.id, incident.line, incident.sentence) == ("text-differs", 3, 2)
    assert (incident.found, incident.expected) == ("“okok”", "“okno”")
    assert "character 4" in incident.message


@pytest.mark.parametrize(
    ("form", "text", "hint"),
    [
        ("cafe\u0301", "caf\u00e9", "normalization form"),
        ("caf\u00e9s", "cafe\u0301s", "normalization form"),
        ("ﬁn", "fin", "similar one"),
        ("Ok", "ok", "case"),
        ("ok", "ok more", "too early"),
        ("ok", "o", "after the end of the text"),
    ],
)
def test_text_differs_with_a_hint(form: str, text: str, hint: str) -> None:
    spelled = GOOD.replace(b"ok", form.encode())
    incident = _only(evaluation.validate(spelled, text=text))
    assert incident.id == "text-differs"
    assert hint in incident.message
    if hint in ("normalization form", "similar one", "case"):
        # Scoring, which knows gold, gives the same hint.
        with pytest.raises(evaluation.InvalidFile, match=hint):
            evaluation.score(GOOD.replace(b"ok", text.encode()), spelled)


@pytest.mark.parametrize(
    ("space", "profiles"), [("\u00a0", "conll17"), ("\u3000", "conll17"), ("\u2028", "conll17 conll18")]
)
def test_white_space_that_scoring_would_compare_is_told_at_home(space: str, profiles: str) -> None:
    spaced = GOOD + GOOD.replace(b"ok", f"o{space}k".encode())
    for profile in ("conll17", "conll18"):
        report = evaluation.validate(spaced, text="ok ok", profile=profile)
        assert report.valid == (profile not in profiles)
        if not report.valid:
            incident = _only(report)
            assert (incident.id, incident.line, incident.sentence) == ("white-space-in-token", 3, 2)
            with pytest.raises(evaluation.InvalidFile):
                evaluation.score(GOOD + GOOD, spaced, profile)
        else:
            assert evaluation.score(GOOD + GOOD, spaced, profile).metrics["Tokens"].correct == 2


def test_characters_differ() -> None:
    with pytest.raises(evaluation.InvalidFile) as caught:
        evaluation.score(GOOD, GOOD.replace(b"ok", b"no"))
    assert _only(caught.value.report).id == "characters-differ"
    with pytest.raises(evaluation.InvalidFile):
        evaluation.score(GOOD + GOOD, GOOD)


def test_head_is_checked_where_the_numbering_is_broken_but_not_where_it_points() -> None:
    lines = GOOD[:-1] + b"".join(
        b"%s\tb\t_\t_\t_\t_\t%s\tdep\t_\t_\n" % pair for pair in ((b"3", b"_"), (b"4", b"-1"), (b"5", b"77"))
    )
    report = evaluation.validate(lines + b"\n")
    assert dict(report.counts) == {"id-out-of-sequence": 1, "head-malformed": 1, "head-negative": 1}


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("1 ok _ _ _ _ 0 root _ _", "separated by spaces"),
        ("1  ok  _", "separated by spaces"),
        ("  ", "only white space"),
        (GOOD.decode().strip()[:-4], "DEPS and MISC seem"),
        (GOOD.decode().strip()[:-2], "DEPS or MISC seems"),
        (GOOD.decode().strip() + "\t", "contain a tab"),
        ("ok", "expected 10 columns."),
    ],
)
def test_wrong_columns_with_a_hint(line: str, hint: str) -> None:
    report = evaluation.validate(f"{line}\n\n".encode())
    assert [hint in incident.message for incident in report.incidents if incident.id == "wrong-columns"] == [
        True
    ]


def test_all_errors_of_a_file_are_reported() -> None:
    files = [name for name in EXPECTED if not name.startswith(("empty-file", "no-final", "byte-order"))]
    together = b"".join((FOLDER / f"{name}.conllu").read_bytes() for name in files)
    report = evaluation.validate(together, limits=Limits(max_incidents_per_kind=10_000))
    ids = {name.partition("--")[0] for name in files}
    assert set(report.counts) == ids
    lines = [incident.line for incident in report.incidents]
    assert lines == sorted(lines, key=lambda line: line or 0)
    assert len(report.incidents) == sum(report.counts.values())
