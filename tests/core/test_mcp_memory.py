"""The solvers take no memory while they solve, read none that is not theirs, and give the same bits from any build."""

import subprocess
import tomllib
from pathlib import Path

from contactlib.fmu.build import eigen_include, find_compiler

CORE = Path(__file__).parents[2] / "contactlib" / "core"


def says(program):
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_no_allocation_no_error_and_the_same_bits(sanitized_core, tmp_path):
    build = tomllib.loads((CORE / "build.toml").read_text())
    sources = [Path(__file__).with_name("solver_probe.cpp"), *sorted((CORE / "solve").glob("*.cpp")),
               CORE / "math" / "lanes.cpp"]
    command = [*find_compiler(), f"-std={build['standard']}", *build["flags"], f"-I{CORE}", f"-I{eigen_include()}",
               *(f"-D{name}" for name in build["defines"])]
    subprocess.run([*command, *sources, "-o", tmp_path / "fast"], check=True)
    fast = says(tmp_path / "fast")
    allocated, solved, failed = map(int, fast[:3])
    assert allocated == 0
    assert solved > 2000 and failed > 300  # of 3000
    assert says(sanitized_core.program(Path(__file__).with_name("solver_probe.cpp"))) == fast
