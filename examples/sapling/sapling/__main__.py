"""The command line: train a model, parse a file, or run on the inputs of a shared task."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .conllu import read
from .model import DECODERS, ROUNDS, Model, train
from .run import Settings, parse_file, run
from .transition import WIDTH


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        arguments.command(arguments)
    except (OSError, ValueError) as error:
        print(f"sapling: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sapling", description="A small dependency parser.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("train", help="train a model on a CoNLL-U file")
    command.add_argument("training", type=Path, help="sentences with heads and relations")
    command.add_argument("model", type=Path, help="the file to write")
    _add_options(command)
    command.add_argument("--seed", type=int, default=1, help="seed of the order of sentences")
    command.add_argument("--rounds", type=int, default=ROUNDS, help="number of passes over all sentences")
    command.set_defaults(command=_train)

    command = commands.add_parser("parse", help="parse a CoNLL-U file")
    command.add_argument("model", type=Path)
    command.add_argument("input", type=Path, help="words and tags; heads and relations are ignored")
    command.add_argument("output", type=Path)
    command.add_argument("--constraints", type=Path, help="heads and relations that must be kept")
    command.add_argument("--width", type=int, default=WIDTH, help="width of the beam")
    command.set_defaults(command=_parse)

    command = commands.add_parser("run", help="parse all inputs of a shared task")
    command.add_argument("models", type=Path, help="a model, or a folder with one per treebank")
    command.add_argument("input", type=Path, help="a folder with metadata.json")
    command.add_argument("output", type=Path, help="a folder")
    _add_options(command)
    command.set_defaults(command=_run)
    return parser


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--decoder", choices=DECODERS, default=DECODERS[0], help="decoder of a new model")
    command.add_argument("--width", type=int, default=WIDTH, help="width of the beam")


def _train(arguments: argparse.Namespace) -> None:
    model = train(
        read(arguments.training),
        arguments.decoder,
        seed=arguments.seed,
        rounds=arguments.rounds,
        width=arguments.width,
        report=lambda line: print(line, file=sys.stderr, flush=True),
    )
    model.save(arguments.model)


def _parse(arguments: argparse.Namespace) -> None:
    model = Model.load(arguments.model, arguments.width)
    parse_file(model, arguments.input, arguments.output, arguments.constraints)


def _run(arguments: argparse.Namespace) -> None:
    settings = Settings(arguments.models, arguments.decoder, arguments.width)
    run(arguments.input, arguments.output, settings)


if __name__ == "__main__":
    sys.exit(main())
