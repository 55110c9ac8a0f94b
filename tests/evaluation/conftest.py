"""Real outputs of a shared task, unpacked once for the session."""

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

CONLL17 = Path(__file__).parents[3] / "shared" / "data" / "conll17"


@pytest.fixture(scope="session")
def conll17(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with <treebank>/gold.conllu and <treebank>/system/<team>.conllu for every test set."""
    folder = tmp_path_factory.mktemp("conll17")
    archives = sorted(CONLL17.glob("*.tar.xz"))
    if not archives:
        pytest.skip("NOT TESTED against CoNLL 2017: ../shared/data/conll17 holds no archives.")
    for archive in archives:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    yield folder
    # Half a gigabyte that pytest would keep for three sessions.
    shutil.rmtree(folder)
