"""Completion in the real shells: each in a terminal of its own, in which Tab is pressed."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.machinery.debian import find_or_install
from tests.machinery.site import ROOT

SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(arboretum completion bash)"'),
    "zsh": (["-f", "-i"], 'eval "$(arboretum completion zsh)"'),
    "fish": (["--no-config", "-i"], "arboretum completion fish | source"),
}
SECONDS = 60
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()=>][0-9A-Z]?|\x1b\][^\x07]*\x07")


class Terminal:
    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.screen = b""

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + SECONDS
        while text.encode() not in ESCAPES.sub(b"", self.screen):
            assert time.monotonic() < end, f"{text!r} does not appear: {self.screen[-500:]!r}"
            if select.select([self.descriptor], [], [], 0.2)[0]:
                self.screen += os.read(self.descriptor, 65536)


@contextmanager
def terminal(program: Path, words: list[str], folder: Path) -> Iterator[Terminal]:
    command = folder / "bin" / "arboretum"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m evaluation "$@"\n')
    command.chmod(0o755)
    environment = {"PATH": f"{command.parent}:/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm"}
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        # Fish insists on a terminal that controls its session.
        ["setsid", "--ctty", str(program), *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment,
    )
    os.close(theirs)
    try:
        yield Terminal(ours)
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_a_command_and_an_option(shell: str, tmp_path: Path) -> None:
    program = find_or_install([shell], package=shell, variable=shell.upper())
    words, script = SHELLS[shell]
    with terminal(program, words, tmp_path) as screen:
        # In two words, so that the line that is typed is not taken for its output.
        screen.type(f"{script}\necho rea''dy\n")
        screen.wait_for("ready")
        screen.type("arboretum withd\t")
        screen.wait_for("arboretum withdraw")
        screen.type(" x --reas\t")
        screen.wait_for("--reason")
