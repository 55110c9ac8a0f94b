"""The thresholds of alarms on the data of CoNLL 2017: published scores and real outputs."""

from __future__ import annotations

import csv
import random
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import pytest

from evaluation.scoring.presentation import PLAIN
from sharedtask.submissions.alarms.outlier_rules import far_off, near_zero
from sharedtask.submissions.alarms.upload_detectors import SUSPICIOUS_OVERLAP, labels_in, median_overlap

# The nine best of the published ranking, in its order.
BEST = "Stanford C2L2 IMS HIT-SCIR LATTICE NAIST-SATO Koc-University UFAL-UDPipe-1-2 UParse"
# Small archives with an output of most teams, for the labels; English is what a fallback would be.
SETS = ("en_pud", "hsb", "kk", "ug", "gl_treegal", "bxr")


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[str, dict[str, float]]:
    """LAS by team and test set, of all 81; no row means that there was no file."""
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    with (shared_data / "conll17" / "published-per-treebank.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            scores[row["team"]][row["treebank"]] = float(row["LAS-F1"]) / 100
    return scores


Noticed = set[tuple[str, str]]


@pytest.fixture(scope="module")
def noticed(published: dict[str, dict[str, float]]) -> tuple[Noticed, Noticed]:
    """Files far below the others of their run, and files near zero, as in the alarms for organisers."""
    below, nothing = set(), set()
    for team, scores in published.items():
        others: dict[str, list[float]] = defaultdict(list)
        for other, theirs in published.items():
            for code, score in theirs.items() if other != team else ():
                others[code].append(score)
        below |= {(team, code) for code in far_off(scores, others, PLAIN)}
        nothing |= {(team, code) for code in near_zero(scores, others, PLAIN)}
    return below, nothing


def test_files_far_below_are_few_and_had_real_problems(
    noticed: tuple[Noticed, Noticed], published: dict[str, dict[str, float]]
) -> None:
    """One file in fifty; each lost a fifth at least of what the median system has there."""
    below, _ = noticed
    assert len(below) == 48
    assert sum(len(scores) for scores in published.values()) == 2534
    for team, code in below:
        usual = median(scores[code] for scores in published.values() if code in scores)
        assert published[team][code] < 0.8 * usual, (team, code)
    # A model of another language or none: obvious from the scores.
    broken = "fbaml/no_nynorsk UT/la_ittb UALING/pt UALING/ru_syntagrus Orange-Deskin/gl_treegal ParisNLP/hi"
    broken += " ParisNLP/ur LyS-FASTPARSE/fi_pud LIMSI-LIPN/fi_pud CLCL/fr_partut CLCL/ga METU/got"
    assert {(team, code) for team, _, code in (word.partition("/") for word in broken.split())} <= below


def test_the_best_systems_raise_no_alarm(noticed: tuple[Noticed, Noticed]) -> None:
    assert not {team for team, _ in noticed[0] | noticed[1]} & set(BEST.split())


def test_every_file_near_zero_is_reported(
    noticed: tuple[Noticed, Noticed], published: dict[str, dict[str, float]]
) -> None:
    """Two systems failed altogether, which their own medians do not show."""
    below, nothing = noticed
    zeros = {(team, code) for team, scores in published.items() for code, las in scores.items() if las < 0.03}
    assert len(zeros) == 63
    assert zeros <= below | nothing
    counted = Counter(team for team, _ in nothing - below)
    assert counted == {"Wenba-NLU": 44, "ECNU": 22, "MetaRomance": 1, "TRL": 1}


@pytest.fixture(scope="module")
def outputs(shared_data: Path) -> dict[str, dict[str, list[bytes]]]:
    """Lines of real outputs, by team and test set."""
    lines: dict[str, dict[str, list[bytes]]] = defaultdict(dict)
    expected = {"conll17-baseline", "Stanford", "Uppsala", "TurkuNLP"}
    for code in SETS:
        with tarfile.open(shared_data / "conll17" / f"{code}.tar.xz") as packed:
            for member in packed:
                name = Path(member.name)
                if name.parent.name == "system" and name.stem in expected:
                    content = packed.extractfile(member)
                    assert content is not None
                    lines[name.stem][code] = content.read().splitlines()
    return lines


def language(code: str) -> str:
    return code.split("_")[0]


def test_real_systems_are_far_from_the_alarm_for_one_language(
    outputs: dict[str, dict[str, list[bytes]]],
) -> None:
    """Uppsala predicted relations only and therefore comes closest."""
    overlaps = {
        team: median_overlap([(language(code), labels_in(lines)) for code, lines in files.items()])
        for team, files in outputs.items()
    }
    assert overlaps["Stanford"] < 0.05
    assert overlaps["conll17-baseline"] < 0.05
    assert overlaps["TurkuNLP"] < 0.4
    assert 0.4 < overlaps["Uppsala"] < SUSPICIOUS_OVERLAP - 0.05


@pytest.mark.parametrize("team", ["conll17-baseline", "Stanford"])
def test_an_english_model_for_all_languages_raises_the_alarm(
    outputs: dict[str, dict[str, list[bytes]]], team: str
) -> None:
    """Such a model knows only its own labels, and gives unknown words the labels of its rare words."""
    tagger = Tagger(outputs[team]["en_pud"])
    files = [
        (language(code), labels_in(tagger.tag(lines))) for code, lines in outputs["conll17-baseline"].items()
    ]
    assert median_overlap(files) >= SUSPICIOUS_OVERLAP


class Tagger:
    """XPOS, FEATS and DEPREL of an output, memorised; unknown words get those of a similar word."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        rows = [columns for line in lines if len(columns := line.split(b"\t")) == 10]
        often = Counter(row[1].lower() for row in rows)
        self.known = {row[1].lower(): row for row in rows}
        self.rare: dict[str, list[list[bytes]]] = defaultdict(list)
        self.chance = random.Random(2017)
        for row in rows:
            if often[row[1].lower()] == 1 or shape(row[1]) == "mark":
                self.rare[shape(row[1])].append(row)

    def tag(self, lines: Iterable[bytes]) -> Iterable[bytes]:
        for line in lines:
            columns = line.split(b"\t")
            if len(columns) == 10:
                form = columns[1]
                like = self.known.get(form.lower()) or self.chance.choice(self.rare[shape(form)])
                for place in (4, 5, 7):
                    columns[place] = like[place]
                yield b"\t".join(columns)


def shape(form: bytes) -> str:
    text = form.decode()
    if not any(character.isalnum() for character in text):
        return "mark"
    return "number" if text[0].isdigit() else "capital" if text[0].isupper() else "small"
