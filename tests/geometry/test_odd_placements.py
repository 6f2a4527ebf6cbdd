"""Kernels at placements that no quaternion makes: never a contact without a normal."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from contactlib.fmu.build import eigen_include

CORE = Path(__file__).parents[2] / "contactlib" / "core"
KERNELS = ("manifold/load_share", "surface/bvh4", "surface/corner", "surface/face_planes", "surface/flats",
           "surface/nearest", "surface/regions", "surface/surface", "surface/tree", "sweep/box", "sweep/cylinder",
           "sweep/polyhedron", "sweep/rim", "sweep/triangle")


def test_no_normal_is_of_length_zero(tmp_path):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ here, with which this test builds the kernels")
    build = tomllib.loads((CORE / "build.toml").read_text())
    sources = [Path(__file__).with_name("odd_placements.cpp"), *(CORE / "geometry" / f"{name}.cpp" for name in KERNELS),
               *sorted((CORE / "math").glob("*.cpp"))]
    subprocess.run([compiler, f"-std={build['standard']}", "-O1", f"-I{CORE}", f"-I{eigen_include()}",
                    *(f"-D{name}" for name in build["defines"]), *sources, "-o", tmp_path / "odd"], check=True)
    result = subprocess.run([tmp_path / "odd"], capture_output=True, text=True)
    assert result.returncode == 0
    assert int(result.stdout) > 1000
