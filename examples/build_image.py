"""Build the example images from Debian packages, without a registry and without a container engine.

    python3 examples/build_image.py awk awk.tar
    python3 examples/build_image.py python python.tar
    python3 examples/build_image.py scorer scorer.tar
    python3 examples/build_image.py sapling sapling.tar --models FOLDER

It needs a Debian machine with apt, the standard library of Python and a few seconds. The archive is what
“docker save” would write; the same packages and the same parser give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import platform
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

HERE = Path(__file__).resolve().parent
USELESS = re.compile(r"\./usr/share/(doc|man|lintian|bug|doc-base|info|locale)(/|$)")


@dataclass(frozen=True)
class Recipe:
    packages: tuple[str, ...]
    parser: str
    """Below this folder; it becomes a file, or a folder, in the root of the image."""
    command: tuple[str, ...]
    """Input and output directory are appended to it."""
    environment: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    """What the image declares; see docs/software.md and docs/scorers.md."""


def recipe_of(name: str, *, has_models: bool = False) -> Recipe:
    if name == "awk":
        awk = ("/bin/busybox", "awk", "-f", "/parser.awk")
        return Recipe(("busybox-static",), "awk/parser.awk", awk, ("LC_ALL=C",))
    # The default version of Python differs between releases of Debian.
    python = re.search(r"python3\.\d+", run("apt-cache", "depends", "python3-minimal").decode())
    if python is None:
        raise SystemExit("apt has no Python package: run “apt-get update” first.")
    packages = [f"{python[0]}-minimal", f"lib{python[0]}-minimal", f"lib{python[0]}-stdlib"]
    libraries = ["libc6", "libexpat1", "zlib1g"]
    if name == "python":
        parser = (f"/usr/bin/{python[0]}", "-B", "/parser.py")
        return Recipe((*packages, *libraries), "python/parser.py", parser, ("PYTHONUTF8=1",))
    if name == "scorer":
        scorer = (f"/usr/bin/{python[0]}", "-B", "/scorer.py")
        declared = ("arboretum.scorer", (HERE / "scorer" / "scorer.json").read_text(encoding="utf-8"))
        return Recipe((*packages, *libraries), "scorer/scorer.py", scorer, ("PYTHONUTF8=1",), (declared,))
    libraries += ["python3-numpy", "libblas3", "liblapack3", "libgfortran5", "libgcc-s1", "libquadmath0"]
    libraries += ["libstdc++6", "libffi8"]
    # Links to these libraries are made when packages are installed; here they are only unpacked.
    shared = f"/usr/lib/{platform.machine()}-linux-gnu"
    environment = ("PYTHONUTF8=1", "PYTHONPATH=/", f"LD_LIBRARY_PATH={shared}/blas:{shared}/lapack")
    command = (f"/usr/bin/{python[0]}", "-B", "-m", "sapling", "run", "/models")
    abilities = (
        ("constraints", "honoured"),
        ("projective", "yes"),
        ("train", "yes" if has_models else "only"),
    )
    labels = tuple((f"arboretum.{name}", value) for name, value in abilities)
    return Recipe((*packages, *libraries), "sapling/sapling", command, environment, labels)


def run(*command: str, folder: Path | None = None) -> bytes:
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode().strip()}")
    return done.stdout


def build_layer(recipe: Recipe, models: Path | None = None) -> bytes:
    """A tar with the files of all packages, the parser and its models, in the order of their names."""
    files: dict[str, tuple[tarfile.TarInfo, bytes]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        run("apt-get", "download", *recipe.packages, folder=folder)
        for package in sorted(folder.glob("*.deb")):
            files |= {info.name: (info, data) for info, data in unpack(package)}
    own = dict(files_of(HERE / recipe.parser, Path(recipe.parser).name))
    if models:
        own |= dict(files_of(models, "models"))
    files |= {path: (tarfile.TarInfo(path), data) for path, data in own.items()}
    return pack([files[path] for path in sorted(files)])


def files_of(source: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """A file, or all files of a folder but compiled ones, under their names in the image."""
    for path in [source] if source.is_file() else sorted(source.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield f"./{(Path(name) / path.relative_to(source)).as_posix()}", path.read_bytes()


def unpack(package: Path) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    content = io.BytesIO(run("dpkg-deb", "--fsys-tarfile", str(package)))
    with tarfile.open(fileobj=content) as archive:
        for info in archive:
            file = archive.extractfile(info) if info.isreg() else None
            if not USELESS.match(info.name):
                yield info, file.read() if file else b""


def pack(files: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """Without times and owners, so that equal files give equal bytes."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, data in files:
            info.size, info.mtime, info.uid, info.gid, info.uname, info.gname = len(data), 0, 0, 0, "", ""
            archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def build_image(
    name: str,
    models: Path | None = None,
    options: Sequence[str] = (),
    labels: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """`options` are appended to the command of the recipe, `labels` are added to its labels."""
    recipe = recipe_of(name, has_models=models is not None)
    layer = build_layer(recipe, models)
    configuration = json.dumps(
        {
            "architecture": run("dpkg", "--print-architecture").decode().strip(),
            "os": "linux",
            "config": {
                "Entrypoint": [*recipe.command, *options],
                "Env": ["PATH=/usr/bin:/bin", *recipe.environment],
                "Labels": {**dict(recipe.labels), **labels},
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        }
    ).encode()
    image_id = hashlib.sha256(configuration).hexdigest()
    manifest = [
        {"Config": f"{image_id}.json", "RepoTags": [f"example-{name}:latest"], "Layers": ["layer.tar"]}
    ]
    members = {
        f"{image_id}.json": configuration,
        "layer.tar": layer,
        "manifest.json": json.dumps(manifest).encode(),
    }
    return pack([(tarfile.TarInfo(path), data) for path, data in members.items()])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("example", choices=("awk", "python", "scorer", "sapling"))
    parser.add_argument("archive", type=Path, help="the file to write")
    parser.add_argument("--models", type=Path, help="a model of Sapling, or a folder of them, for its image")
    arguments = parser.parse_args()
    arguments.archive.write_bytes(build_image(arguments.example, arguments.models))


if __name__ == "__main__":
    main()
