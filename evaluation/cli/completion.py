"""`completion SHELL`: print the script that completes commands and options in bash, zsh or fish.

For bash and zsh: eval "$(arboretum completion bash)"; for fish: arboretum completion fish | source
"""

from __future__ import annotations

import argparse

import argcomplete

from ..client.errors import OK
from .online import Commands

START_OF_ZSH = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u; }"
"""A zsh without a configuration has not loaded its completion."""


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("completion", help="completion for your shell", description=__doc__)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.shell == "zsh":
        print(START_OF_ZSH)
    print(argcomplete.shellcode(["arboretum"], shell=arguments.shell))
    return OK
