"""Compile tables in a paper, to see that they can be pasted as they are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

PAPER = """\
\\documentclass{article}
\\usepackage[utf8]{inputenc}
\\usepackage[%s]{fontenc}
\\usepackage{booktabs}
\\usepackage{graphicx}
\\begin{document}
%s
\\end{document}
"""


def compile_paper(tables: str, folder: Path, *, encoding: str = "T1") -> str:
    """With the usual preamble of a paper. The log, in which `Overfull` marks what is too wide."""
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("NOT TESTED that the tables compile: no pdflatex is installed.")
    paper = folder / f"{encoding}.tex"
    paper.write_text(PAPER % (encoding, tables), encoding="utf-8")
    # A draft needs no fonts for the screen, which some installations would have to make first.
    options = ("-draftmode", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape")
    done = subprocess.run(
        [program, *options, paper.name], cwd=folder, capture_output=True, timeout=120, check=False
    )
    output = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, output[-2000:]
    return output
