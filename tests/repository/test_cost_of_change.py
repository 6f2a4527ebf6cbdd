"""What a change costs, counted in files of the library: the examples in changes/ are applied, built and used."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHANGES = sorted((ROOT / "tests" / "repository" / "changes").glob("*.diff"))
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

USE = """
import numpy as np
import contactlib
from typer.testing import CliRunner
from contactlib._core import engine
from contactlib.cli.main import app

# the pair: its own feature, and the contact of a ball of radius 0
turn = [1.0, 0.0, 0.0, 0.0]
one = contactlib.manifolds(contactlib.Point(), contactlib.Sphere(0.5), [[0, 0, 0, *turn]], [[0, 0, 0.3, *turn]])
assert one.feature[0, 0] == 7 and abs(one.depth[0, 0] - 0.2) < 1e-15 and one.normal[0, 0].tolist() == [0, 0, 1]

# the law in a scene: a ball that slides loses speed as exp(-c t/m)
ball = {"name": "ball", "motion": "free", "mass": 2.0, "inertia": [1e6, 1e6, 1e6],
        "state": {"r": [0, 0, 0.09], "v": [1, 0, 0]},
        "shape": [{"name": "s", "kind": "sphere", "radius": 0.1, "material": "a"}]}
floor = {"name": "floor", "motion": "fixed", "shape": [{"name": "p", "kind": "plane", "material": "a"}]}
law = {"name": "oil", "materials": ["a", "a"], "normal": {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0},
       "friction": {"kind": "viscous", "viscous_damping": 4.0}}
spec = contactlib.Spec.from_dict({
    "scene": {"name": "oil", "gravity": [0, 0, -5.0], "step_size": 1e-4, "temperature": 250.0},
    "body": [ball, floor], "law": [law], "pair": [{"bodies": ["ball", "floor"]}]})
simulation = contactlib.Simulation(spec.compile())
run = simulation.run(0.5, 1e-4, every=100)
assert abs(run.body("ball")[-1, 7] - np.exp(-4.0 * 0.5 / 2.0)) < 1e-3
assert "oil.viscous_damping" in {v.name for v in simulation.model.variables}

# the variable: the power of that law
power = [v.name for v in simulation.model.variables].index("contact.power")
assert np.isclose(simulation.data.get(power), 4.0 * run.body("ball")[-1, 7] ** 2, rtol=1e-2)

# the key of a scene
assert spec.temperature == 250.0

# the command
result = CliRunner().invoke(app, ["masses", "rover_wheel"])
assert result.output == "wheel 20\\n", result.output
print("all changes work")
"""


def hunks(text):
    """Of a diff: (file, lines before, lines after) of every change."""
    for part in re.split(r"^--- .*\n", text, flags=re.MULTILINE)[1:]:
        file = re.match(r"\+\+\+ (\S+)", part)[1]
        for hunk in re.split(r"^@@.*\n", part, flags=re.MULTILINE)[1:]:
            lines = [line for line in hunk.split("\n") if line]
            yield (file, "\n".join(line[1:] for line in lines if line[0] != "+"),
                   "\n".join(line[1:] for line in lines if line[0] != "-"))


def apply(text, folder):
    for file, before, after in hunks(text):
        path = folder / file
        content = path.read_text(encoding="utf-8") if path.exists() else ""
        assert content.count(before) == 1 or not content, f"{file} has changed: write the example anew\n{before}"
        path.write_text(content.replace(before, after) if content else f"{after}\n", encoding="utf-8")


@pytest.mark.parametrize("change", CHANGES, ids=lambda path: path.stem)
def test_the_page_counts_the_files(change):
    """A row of the table in CONTRIBUTING.md says how many files of the library a change touches."""
    files = {file for file, *_ in hunks(change.read_text(encoding="utf-8"))}
    assert all(file.startswith(("contactlib/", "fmu/")) for file in files)
    row = re.search(rf"^\| [^|]+ \| (\d+) \| [^|]*`tests/repository/changes/{change.stem}.diff`", PAGE, re.MULTILINE)
    assert row and int(row[1]) == len(files)


def test_the_examples_work(tmp_path):
    """All of them together, in a copy of the library that is built without optimisation."""
    for part in ("contactlib", "fmu"):
        built = ["__pycache__", "*.so", "engine.cpp", *(["fmu"] if part == "contactlib" else [])]
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns(*built))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, tmp_path)
    for change in CHANGES:
        apply(change.read_text(encoding="utf-8"), tmp_path)
    settings = tmp_path / "contactlib" / "core" / "build.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace('"-O3"', '"-O0"'), encoding="utf-8")
    build = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tmp_path, text=True,
                           capture_output=True)
    assert build.returncode == 0, build.stdout + build.stderr
    (tmp_path / "contactlib" / "fmu").symlink_to(tmp_path / "fmu")
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    used = subprocess.run([sys.executable, "use.py"], cwd=tmp_path, text=True, capture_output=True)
    assert used.stdout == "all changes work\n", used.stdout + used.stderr
