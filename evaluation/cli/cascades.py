"""`cascades DIR`: the figures of an experiment with constraints, or its files with `--prepare`.

DIR has `gold.conllu`. `--prepare` writes `input.conllu`, what every run of the system gets, and a file of
constraints per run, `constraints/<run>.conllu`. The system's outputs are `outputs/<run>.conllu`, with
`outputs/plain.conllu` from a run without constraints. Runs are `none`, `all` and the error classes, such as
`np-attachment`; classes without an output are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from ..cascades.constraints import constrained_words, write_constraints
from ..cascades.experiment import Experiment
from ..cascades.run_figures import RunFigures
from ..errors.classes import ErrorClasses
from ..errors.parse import BUILT_IN, InvalidClasses
from ..reading.incidents import InvalidFile
from ..reading.read import read
from ..reading.treebank import Treebank
from .errors import read_classes
from .incidents import as_text

_COLUMNS = (
    "Run",
    "Cover %",
    "Imposs.",
    "Eff",
    "Eff %",
    "Disp",
    "UAS",
    "LAS",
    "ΔUAS",
    "Δc",
    "Δu",
    "Repaired",
    "Destroyed",
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "cascades",
        help="show which errors cause others, from runs with constraints",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder of the experiment")
    parser.add_argument("--prepare", action="store_true", help="only write the input and the constraints")
    parser.add_argument(
        "--classes", default=BUILT_IN[0], metavar="FILE", help=f"error classes (default {BUILT_IN[0]})"
    )
    parser.add_argument(
        "--sentences",
        choices=("every", "own"),
        default="every",
        help="score the sentences covered by the runs of every class, or by the run itself (default every)",
    )
    parser.add_argument("--punctuation", action="store_true", help="also score punctuation")
    parser.add_argument(
        "--non-projective", action="store_true", help="the system can build trees with crossing arcs"
    )
    parser.add_argument(
        "--format", choices=("table", "json"), default="table", help="output format (default table)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        classes = read_classes(arguments.classes)
        gold = read(arguments.folder / "gold.conllu")
        if arguments.prepare:
            _prepare(arguments.folder, gold, classes)
            return 0
        outputs = {path.stem: path for path in sorted((arguments.folder / "outputs").glob("*.conllu"))}
        experiment = Experiment(gold, outputs, classes, is_projective=not arguments.non_projective)
    except InvalidFile as refusal:
        print(as_text(refusal.report), file=sys.stderr)
        return 2
    except (InvalidClasses, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return _report(experiment, arguments)


def _prepare(folder: Path, gold: Treebank, classes: ErrorClasses) -> None:
    target = folder / "constraints"
    target.mkdir(exist_ok=True)
    (folder / "input.conllu").write_bytes(write_constraints(gold, np.zeros(gold.words, dtype=bool)))
    for name, words in constrained_words(gold, classes).items():
        (target / f"{name}.conllu").write_bytes(write_constraints(gold, words))


def _report(experiment: Experiment, arguments: argparse.Namespace) -> int:
    failures = experiment.failed_controls()
    for failure in failures:
        print(failure, file=sys.stderr)
    if failures:
        return 1
    rows = experiment.rows(arguments.sentences, punctuation=arguments.punctuation)
    if arguments.format == "json":
        json.dump({"runs": [row.as_dict() for row in rows]}, sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        _write_table(rows)
    return 0


def _write_table(rows: list[RunFigures]) -> None:
    print(f"{_COLUMNS[0]:<20}" + "".join(f"{title:>10}" for title in _COLUMNS[1:]))
    first = rows[0]
    print(f"{'plain':<20}{'':>50}{100 * first.plain_uas:10.2f}{100 * first.plain_las:10.2f}")
    for row in rows:
        displacement = "–" if row.displacement is None else f"{row.displacement:.1f}"
        percentages = (row.uas, row.las, row.delta_uas, row.delta_constrained, row.delta_unconstrained)
        print(
            f"{row.run:<20}{100 * row.coverage:10.1f}{row.impossible:10}{row.effective:10}"
            f"{100 * row.effective_share:10.1f}{displacement:>10}"
            + "".join(f"{100 * value:10.2f}" for value in percentages)
            + f"{sum(row.repaired.values()):10}{sum(row.destroyed.values()):10}"
        )
    if len({row.selected for row in rows}) == 1:
        print(f"{first.selected:,} of {first.sentences:,} sentences, {first.words:,} words")
    else:
        print(f"Each run is scored over the sentences that it covers, of {first.sentences:,} in total.")
