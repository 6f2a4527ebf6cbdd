"""The benchmarks keep up with the core: each module imports, and the C++ driver compiles against the core's headers."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from benchmarks import peers
from contactlib.fmu.build import eigen_include

ROOT = Path(__file__).parents[2]
CORE = ROOT / "contactlib" / "core"
MODULES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_imports(name: str):
    module = importlib.import_module(f"benchmarks.{name}")
    assert module.__doc__


# Compiling all of the core as the benchmark does takes minutes; renamed types and members show in the syntax alone.
@pytest.mark.parametrize(("part", "driver"), [
    ("WITH_CONTACTLIB", "narrow_phase.cpp"), ("COUNT_ALLOCATIONS", "narrow_phase.cpp"),
    ("WITH_CONTACTLIB", "instructions.cpp")])
def test_the_driver_compiles(part: str, driver: str):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ here, with which this test compiles the driver")
    if driver == "instructions.cpp" and not Path("/usr/include/valgrind/callgrind.h").exists():
        pytest.skip("there is no valgrind here, whose header this program includes")
    build = tomllib.loads((CORE / "build.toml").read_text(encoding="utf-8"))
    command = [compiler, f"-std={build['standard']}", "-fsyntax-only", f"-I{CORE}", f"-isystem{eigen_include()}",
               *(f"-D{name}" for name in build["defines"]), f"-D{part}", str(ROOT / "benchmarks" / driver)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_objects_of_an_install_are_used_until_the_core_is_newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    core, kept = tmp_path / "core", tmp_path / "kept"
    for path in (core / "math" / "a.cpp", core / "math" / "a.hpp", kept / "0_a.o"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (1e9, 1e9))
    monkeypatch.setattr(peers, "KEPT", kept)
    assert peers._kept_objects(core) == []
    os.utime(kept / "0_a.o", (1e9 + 1, 1e9 + 1))
    assert peers._kept_objects(core) == [kept / "0_a.o"]
    os.utime(core / "math" / "a.hpp", (1e9 + 2, 1e9 + 2))
    assert peers._kept_objects(core) == []
    (core / "math" / "b.cpp").write_text("")
    assert peers._kept_objects(core) == []
