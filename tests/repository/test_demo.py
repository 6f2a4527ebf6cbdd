"""The demo: shortened, but all the way into the holes; and the code in the documents."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import contactlib
import contactlib.fmu
import contactlib.pcm
import contactlib.shapes.importers
from contactlib._core import engine
from contactlib.common.tables import Table
from contactlib.elements import ELEMENTS
from contactlib.model import spec

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return importlib.import_module("peg_in_hole")


def test_the_demo_docks(example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    fmu, out = tmp_path / "dist" / "peg.fmu", tmp_path / "out"
    demo = example.main(["--fmu", str(fmu), "--out", str(out), "--duration", "4.8", "--dt", "3e-4"])
    said = capsys.readouterr().out
    assert fmu.is_file() and f"FMU: {fmu}" in said and "the pins are in their holes" in said
    files = {path.name: path.stat().st_size for path in out.iterdir()}
    assert set(files) == {"docking.png", "report.html", "trajectory.csv", "trajectory.png"}
    assert min(files.values()) > 20_000
    assert (out / "report.html").read_text().count("data:image/png;base64,") == 2
    run, trajectory = demo.run, demo.run.trajectory
    assert demo.docked and demo.same_bits
    assert run.balance.linear_error < 1e-9 and run.balance.angular_error < 1e-9
    assert np.diff(trajectory.energy_dissipated).min() >= 0.0
    assert 0.7 < trajectory.energy_dissipated[-1] / run.balance.kinetic[0] < 1.0
    force = np.linalg.norm(trajectory.wrench("interface")[:, :3], axis=1)
    assert 1 < force.max() < 50 and trajectory.max_depth.max() < 1e-4
    assert demo.deviation < 1e-3


def test_a_run_that_ends_early_is_told_as_it_is(example: ModuleType, tmp_path: Path):
    demo = example.main(
        ["--fmu", str(tmp_path / "p.fmu"), "--out", str(tmp_path), "--duration", "0.1", "--dt", "1e-3"]
    )
    assert not demo.docked and "There was no contact" in str(demo) and "not yet in" in str(demo)


def test_the_code_in_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert (tmp_path / "docking.png").is_file() and (tmp_path / "peg_in_hole.fmu").is_file()
    assert names["rows"][-1]["contact.count"] == 8


@pytest.mark.parametrize(
    "document", ["README.md", "docs/README.md", "docs/scenes.md", "docs/pcm.md", "examples/README.md"]
)
def test_links_lead_somewhere(document: str):
    path = ROOT / document
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_every_key_of_a_scene_is_documented(monkeypatch: pytest.MonkeyPatch):
    seen: set[str] = set()
    finish = Table.finish

    def spy(self: Table) -> None:
        seen.update(self.taken)
        finish(self)

    monkeypatch.setattr(Table, "finish", spy)
    shapes = [
        {"name": "s", "kind": "socket", "size": [1, 1, 1], "radius": 0.2, "length": 0.3, "material": "m"},
        {"name": "p", "kind": "plane", "material": "m"},
    ]
    group = {"name": "g", "movable": True, "state": {"r": [0, 0, 0]}, "shape": shapes}
    body = {"name": "b", "group": [group]}
    tables_of = engine.law_tables()
    for part, rows in tables_of.items():
        for kind, parameters in rows:
            names = [row[0] for row in parameters]
            values: dict[str, object] = {name: 1 for name in names if "[" not in name}
            values |= {name.partition("[")[0]: [1, 1, 1] for name in names if "[" in name}
            if part == "normal" and engine.needs_curve(kind):
                values |= {"depth": [1, 2], "force": [1, 2]}
            line = {"kind": "kelvin_voigt", "stiffness": 1, "damping": 1}
            rest = {} if part == "model" else {"normal": line}
            law = {"name": "l", "materials": ["m", "m"], **rest, part: {"kind": kind, **values}}
            pair = {"bodies": ["b", "c"]}
            contactlib.Spec.from_dict({"scene": {"name": "x"}, "body": [body], "law": [law], "pair": [pair]})
    for path in spec.SCENES.glob("*/scene.toml"):
        contactlib.load(path)
    names = ("scenes.md", "lee.md", "berthing_control.md")  # the last two: of `control`
    pages = "".join((ROOT / "docs" / page).read_text() for page in names)
    documented = set(re.findall(r"`(?:state\.)?(\w+)`", pages))
    parts = {"cable", "ring", "carriage", "motor", "control"}  # of elements
    tables = {"scene", "body", "law", "pair", "kind", "object", *parts, *ELEMENTS}
    assert seen - tables <= documented, seen - tables - documented
