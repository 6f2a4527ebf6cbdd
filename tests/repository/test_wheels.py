"""Wheels for old Linux systems: files, tags and metadata, what is refused, the same bytes, and the lock file of tools.

Small libraries stand for what is compiled. `make wheels` builds and tries real wheels; `make reproducible` builds them
twice.
"""

from __future__ import annotations

import email
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".ci" / "wheels"
MISSING = [name for name in ("auditwheel", "build", "ziglang") if importlib.util.find_spec(name) is None]
needs_tools = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}; make install brings them")
PLATFORM = {"x86_64": "linux64", "aarch64": "aarch64-linux"}


def run(script: str, *arguments: object, tree: Path = ROOT, **options) -> str:
    """What a script prints that may import the modules of .ci/wheels."""
    environment = {**os.environ, "PYTHONPATH": str(tree / ".ci/wheels"), **options.pop("env", {})}
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], cwd=tree, env=environment,
                          capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def zig(folder: Path, processor: str, *arguments: object) -> None:
    """Link a shared library."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{processor}-linux-gnu.2.17", "-shared", "-s"]
    subprocess.run([*command, *map(str, arguments)], check=True,
                   env={**os.environ, "ZIG_LOCAL_CACHE_DIR": str(folder / "cache")})


def compiled(folder: Path, processor: str) -> Path:
    """A folder like that of build_module, and one of binaries, with libraries that do nothing."""
    core, binaries, program = folder / "built/contactlib/_core", folder / "binaries/wasm32", folder / "module.c"
    core.mkdir(parents=True)
    binaries.mkdir(parents=True)
    (binaries / "contactlib.wasm").write_bytes(b"\0asm")
    (core / "LICENSE-LLVM.txt").write_text("text\n")
    program.write_text("int PyInit_engine(void) { return 0; }\n")
    zig(folder, processor, program, "-o", core / "engine.abi3.so")
    shutil.copy(core / "engine.abi3.so", core / "libomp-contactlib.so")
    return folder


MAKE = """
import sys
from pathlib import Path
from package import make_wheel
print(make_wheel(sys.argv[1], Path(sys.argv[2]) / "built", Path(sys.argv[2]) / "binaries", Path(sys.argv[3])))
"""
CHECK = "import sys; from pathlib import Path; from check import find_problems\n" \
        "[print(problem) for problem in find_problems(Path(sys.argv[1]), sys.argv[2:])]"


def problems(wheel: Path, *platforms: str) -> list[str]:
    return run(CHECK, wheel, *platforms).split("\n")[:-1]


@pytest.fixture(scope="module", params=PLATFORM)
def wheel(request, tmp_path_factory) -> Path:
    folder = compiled(tmp_path_factory.mktemp("compiled"), request.param)
    return Path(run(MAKE, request.param, folder, folder / "dist").strip())


# ---- one wheel -----------------------------------------------------------------------------------


@needs_tools
def test_a_wheel_may_be_shipped(wheel: Path):
    """Files, tags and auditwheel; a file that is missing, and one that is too many."""
    assert problems(wheel, "wasm32") == []
    assert problems(wheel, "wasm32", "win64") == ["it has no contactlib/fmu/binaries/win64/contactlib.dll"]
    assert problems(wheel) == ["it also has contactlib/fmu/binaries/wasm32/contactlib.wasm"]


@needs_tools
def test_metadata_of_a_wheel(wheel: Path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (file,) = (name for name in names if name.endswith("dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(file))
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {oct(entry.external_attr >> 16) for entry in archive.infolist()} == {"0o100644", "0o100755"}
    assert (metadata["Name"], metadata["Requires-Python"]) == (project["name"], project["requires-python"])
    assert metadata["License-Expression"] == project["license"]
    assert set(project["optional-dependencies"]) == set(metadata.get_all("Provides-Extra"))
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    # `python -m contactlib.fmu.build` works from an installed package, too
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "contactlib/core").rglob("*.?pp")}
    assert len(sources) > 100 and sources <= set(names)


@needs_tools
def test_a_library_from_outside_is_refused(tmp_path: Path):
    """Another library than those that every Linux has."""
    folder = compiled(tmp_path, "x86_64")
    (tmp_path / "other.c").write_text("int other(void) { return 0; }\n")
    (tmp_path / "module.c").write_text("int other(void); int PyInit_engine(void) { return other(); }\n")
    zig(folder, "x86_64", tmp_path / "other.c", "-Wl,-soname,libother.so.1", "-o", tmp_path / "libother.so")
    zig(folder, "x86_64", tmp_path / "module.c", tmp_path / "libother.so", "-o",
        folder / "built/contactlib/_core/engine.abi3.so")
    (found,) = problems(Path(run(MAKE, "x86_64", folder, folder / "dist").strip()), "wasm32")
    assert found.startswith("auditwheel")


# ---- the same bytes ------------------------------------------------------------------------------


@needs_tools
def test_the_same_bytes_from_another_folder_at_another_date(tmp_path: Path):
    """Copies of the sources with other dates, modes and places."""
    folder, wheels = compiled(tmp_path / "compiled", "x86_64"), []
    for number, mask in enumerate((0o022, 0o077)):
        tree = tmp_path / f"copy {number}" / "contactlib"
        skipped = shutil.ignore_patterns(".git", ".venv*", "build", "dist", "out", "*.egg-info", ".*_cache", "binaries",
                                         "__pycache__", "tests", "validation_data", "benchmarks", "docs")
        shutil.copytree(ROOT, tree, ignore=skipped, symlinks=True)
        for path in tree.rglob("*"):
            os.utime(path, (1e9 + 1e6 * number,) * 2)
            path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)
        shutil.copytree(folder, tree.parent / "compiled")
        environment = {"SOURCE_DATE_EPOCH": str(10 ** 9 * (number + 1)), "TZ": f"UTC+{number}"}
        made = run(MAKE, "x86_64", tree.parent / "compiled", tree.parent / "dist", tree=tree, umask=mask,
                   env=environment)
        wheels.append(Path(made.strip()).read_bytes())
    assert wheels[0] == wheels[1]


# ---- the lock file -------------------------------------------------------------------------------


def test_lock_file_has_all_tools_with_hashes():
    """Each requirement of pyproject.toml that `make install` wants is there, with a version that it allows."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = re.search(r"^EXTRAS = (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1].split()
    wanted = [*tables["build-system"]["requires"], *tables["project"]["dependencies"],
              *(text for extra in extras for text in tables["project"]["optional-dependencies"][extra])]
    lock = (ROOT / ".ci/lock.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", re.sub(r"^\s*#.*\n", "", lock, flags=re.MULTILINE))
    locked: dict[str, list[str]] = {}
    for entry in entries:
        name, version = re.match(r"([\w.-]+)==([\w.+]+)", entry).groups()
        locked.setdefault(canonicalize_name(name), []).append(version)
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), name
    for requirement in map(Requirement, wanted):
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions and all(map(requirement.specifier.contains, versions)), f"{requirement}: make lock"
