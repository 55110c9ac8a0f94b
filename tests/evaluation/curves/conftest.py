"""Real outputs of a parser trained on growing samples, unpacked once for the session."""

import tarfile
from pathlib import Path

import pytest

TREEBANKS = ("en_ewt", "fr_sequoia", "tr_imst", "el_gdt")


@pytest.fixture(scope="session")
def real_series(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a folder per treebank."""
    archives = [shared_data / "curves" / f"{name}.tar.xz" for name in TREEBANKS]
    if not all(archive.exists() for archive in archives):
        pytest.skip("NOT TESTED against real learning curves: ../shared/data/curves is incomplete.")
    folder = tmp_path_factory.mktemp("curves")
    for archive in archives:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return folder
