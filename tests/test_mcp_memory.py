"""The solvers take no memory while they solve, read none that is not theirs, and give the same bits from any build."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

CORE = Path(__file__).parent.parent / "contactlib" / "core"
SANITIZE = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-D_GLIBCXX_ASSERTIONS"]


def probe(folder, name, options):
    """What the program prints when it is built with these options."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ here, with which this test builds the solvers")
    build = tomllib.loads((CORE / "build.toml").read_text())
    flags = [f for f in build["flags"] if not f.startswith("-O")]
    sources = [Path(__file__).with_name("solver_probe.cpp"), *sorted((CORE / "solve").glob("*.cpp"))]
    command = [compiler, f"-std={build['standard']}", *flags, *options, f"-I{CORE}", *sources, "-o", folder / name]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode and "-fsanitize" in "".join(options) and "cannot find" in made.stderr:
        pytest.skip(f"g++ cannot link its sanitizers here: {made.stderr[:200]}")
    assert made.returncode == 0, made.stderr
    done = subprocess.run([folder / name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_no_allocation_no_error_and_the_same_bits(tmp_path):
    fast = probe(tmp_path, "fast", ["-O3"])
    allocated, solved, failed = map(int, fast[:3])
    assert allocated == 0
    assert solved > 2000 and failed > 300  # of 3000
    assert probe(tmp_path, "checked", SANITIZE) == fast
