"""The README's commands, taken out of it and run in a fresh clone with a `.venv` of its own."""

import os
import re
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from tests.machinery.serving import Serving, get, wait_until_gone
from tests.machinery.site import ROOT

# What the clone must not inherit: the outer make's options, and whatever configures this session's site.
NOT_INHERITED = re.compile(
    r"MAKE|MFLAGS|TESTS|JOBS|PYTEST|VIRTUAL_ENV|DATA_DIR|DJANGO|REDIS_URL|DATABASE_URL|HOST$|PORT$"
)
ONE_TEST = "tests/house/test_imports.py"
TEAMS = {"Baseline", "Linden", "Rowan", "Hornbeam", "Juniper"}


def commands(document: str) -> list[str]:
    """The lines of all blocks of shell commands."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def environment(**values: str) -> dict[str, str]:
    expected = {name: value for name, value in os.environ.items() if not NOT_INHERITED.match(name)}
    return expected | values


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    # The checkout may belong to somebody else than the one who runs the tests.
    configuration = folder / "gitconfig"
    configuration.write_text("[safe]\n\tdirectory = *\n")
    subprocess.run(
        ["git", "clone", "--quiet", str(ROOT), str(folder / "arboretum")],
        env=environment(GIT_CONFIG_GLOBAL=str(configuration)),
        check=True,
    )
    return folder / "arboretum"


def standings(address: str) -> dict[str, str]:
    """Team and main figure of every row of the demo's leaderboard."""
    page = get(f"{address}tasks/demo/leaderboard/")
    rows = re.findall(
        r'<th scope="row" class="team">\s*<a [^>]*>(\w+)</a>.*?class="figure main">([\d.]+)', page, re.DOTALL
    )
    return dict(rows)


def wait_for_standings(address: str) -> dict[str, str]:
    end = time.monotonic() + 120
    while set(result := standings(address)) != TEAMS:
        assert time.monotonic() < end, result
        time.sleep(0.5)
    return result


def serve_and_stop(clone: Path, command: str, *, seconds: float) -> tuple[dict[str, str], list[str]]:
    """Start it as the README says, on any free port; give the standings and what was printed."""
    running = Serving(["sh", "-c", f"exec {command}"], folder=clone, environment=environment(PORT="0"))
    try:
        address = running.address(seconds=seconds)
        assert "<h1>" in get(address)
        rows = wait_for_standings(address)
        running.interrupt()
        assert wait_until_gone(clone, seconds=60) == {}
    finally:
        running.stop()
    return rows, running.lines


def test_every_command_of_the_readme_is_run_by_a_test() -> None:
    assert commands((ROOT / "README.md").read_text()) == [
        "make serve",
        "make test",
        f"make test TESTS={ONE_TEST}",
        "python3 -m zipfile -c var/perfect.zip demo/gold/*.conllu",
    ]


@pytest.mark.slow
def test_the_commands_of_the_readme_work_in_a_fresh_clone(clone: Path) -> None:
    serve, test, test_a_part, archive = commands((clone / "README.md").read_text())
    assert not (clone / ".venv").exists()

    first, printed = serve_and_stop(clone, serve, seconds=300)
    assert any("organiser" in line for line in printed), "the demo accounts are printed"
    assert (clone / ".venv" / "bin" / "python").exists()

    again, printed = serve_and_stop(clone, serve, seconds=300)
    assert again == first
    assert not any("Installing" in line for line in printed), "nothing is installed a second time"

    subprocess.run(archive, shell=True, cwd=clone, env=environment(), check=True)
    with zipfile.ZipFile(clone / "var" / "perfect.zip") as result:
        assert "de_garten.conllu" in result.namelist()

    # The whole suite is running already: this one; so the clone runs one file of it.
    for command, values in ((test, {"TESTS": ONE_TEST}), (test_a_part, {})):
        done = subprocess.run(
            command,
            shell=True,
            cwd=clone,
            env=environment(**values),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(r"\d+ passed", done.stdout), done.stdout
    status = subprocess.run(
        ["git", "status", "--porcelain"],
        cwd=clone,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert status.stdout == "", "nothing that is made lies about"


def test_variables_of_the_readme_are_read_by_make_serve() -> None:
    table = re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    sources = "".join(file.read_text() for file in (ROOT / "serve").iterdir() if file.is_file())
    assert len(table) == 7
    assert [name for name in table if name not in sources] == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "deploy/README.md"])
def test_documents_name_files_and_targets_that_exist(document: str) -> None:
    file = ROOT / document
    text = file.read_text()
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    paths = re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", text)
    missing = [link for link in links if not (file.parent / link).exists()]
    missing += [
        path
        for path in paths
        if path != "var/" and not path.startswith("var/") and not (ROOT / path).exists()
    ]
    assert missing == []
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)", text)) - targets == set()
