"""fmu/modelica/contactlib.mo under the Modelica compiler rumoca, and its numbers against the scenes.

rumoca cannot read the Modelica Standard Library, so that tests/masters/modelica_stub.mo stands in for the classes that
the package uses. OpenModelica and Dymola are not run here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest

import contactlib
from contactlib.fmu.export import export_fmu
from contactlib.fmu.master import mass_properties
from contactlib.fmu.platforms.sources import FMU
from contactlib.fmu.ssp import plant_spec
from contactlib.model.spec import Spec
from contactlib.shapes.mass import MassProperties
from tests.support.masters import STATE

PACKAGE = FMU / "modelica" / "contactlib.mo"
EXAMPLES = {"PegInHole": "peg_in_hole", "LeeSnare": "lee_snare", "Cbm": "cbm", "Trampoline": "trampoline"}
#: a body far from symmetric, turned and turning
MASS = MassProperties(4.0, np.array([0.3, -0.2, 0.1]), np.array([[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]]))
ATTITUDE = (0.8, 0.4, 0.2, -0.4)
CHECK = """
model Check
  inner Modelica.Mechanics.MultiBody.World world(g = 0);
  contactlib.FreeBody b(m = 4, com = {0.3, -0.2, 0.1}, I = {{1, 0.1, 0}, {0.1, 2, 0.2}, {0, 0.2, 2.5}},
    r_start = {1, 2, 3}, q_start = {0.8, 0.4, 0.2, -0.4}, v_start = {0.5, 0, -0.1}, w_start = {0.1, 0.7, 0.2});
equation
  b.body.f_ext = {6, -1, 8};
  b.body.t_ext = {0.3, 0.2, -0.6};
end Check;
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, the stub and the check in one file, alone in its folder."""
    pytest.importorskip("rumoca", reason="the Modelica compiler rumoca is not installed")
    stub = Path(__file__).with_name("modelica_stub.mo").read_text()
    path = tmp_path_factory.mktemp("modelica") / "whole.mo"
    path.write_text(stub + PACKAGE.read_text().removeprefix("within ;\n") + CHECK)
    return path


def compiled(source: Path, name: str) -> Any:
    import rumoca

    return rumoca.Session().load(str(source), model=name)


@pytest.mark.parametrize(("example", "scene"), EXAMPLES.items())
def test_examples_are_balanced_and_have_the_ports_of_the_contact(source: Path, example: str, scene: str) -> None:
    model, spec = compiled(source, f"contactlib.Examples.{example}"), contactlib.load(scene)
    structure = model.structure()
    assert structure.is_balanced and structure.is_matched
    bodies = list(mass_properties(spec.compile()))
    assert sorted(model.inputs.names) == sorted(f"{body}.{part}" for body in bodies for part in ("f_ext", "t_ext"))
    assert {f"{body}.{part}" for body in bodies for part in "rqvw"} <= set(model.outputs.names)


def test_a_body_alone_has_the_ports_of_the_plants_of_a_system(source: Path) -> None:
    """An FMU that is exported from it fits into the place of one that `contactlib fmu export --ssp` writes."""
    model = compiled(source, "contactlib.FreeBody")
    ours = plant_spec(Spec(name="a"), "a", MASS, (0.0,) * 3 + (1.0,) + (0.0,) * 9).compile().variables
    assert {v.name.partition("[")[0] for v in ours if v.causality == "input"} == set(model.inputs.names)
    assert {name.partition("[")[0] for name in STATE} <= set(model.outputs.names)


def test_signs_and_order_of_the_quaternion(source: Path, tmp_path: Path) -> None:
    """Two seconds under a constant wrench, in Modelica and in the plant of a system."""
    import rumoca

    unit = np.array(ATTITUDE) / np.linalg.norm(ATTITUDE)
    plant = plant_spec(Spec(name="a"), "a", MASS, (1.0, 2.0, 3.0, *unit, 0.5, 0.0, -0.1, 0.1, 0.7, 0.2))
    loads = dict(zip([f"body.{part}[{i + 1}]" for part in ("f_ext", "t_ext") for i in range(3)],
                     [6.0, -1.0, 8.0, 0.3, 0.2, -0.6], strict=True))
    rows = fmpy.simulate_fmu(str(export_fmu(plant.compile(), tmp_path / "a.fmu")), start_values=loads, stop_time=2.0,
                             output_interval=0.1, output=STATE)
    config = rumoca.SimConfig(rtol=1e-10, atol=1e-10)
    run = compiled(source, "Check").simulate(t=(0, 2), dt=0.5, config=config)
    expected = np.array([float(rows[name][-1]) for name in STATE])
    found = np.array([np.asarray(run[f"b.{name}"])[-1] for name in STATE], float)
    found[3:7] *= np.sign(found[3:7] @ expected[3:7])  # q and -q are one attitude
    assert abs(expected[3]) < 0.9 and np.abs(expected[10:]).max() > 1.0
    assert np.abs(found - expected).max() < 1e-6  # of rumoca's solver, at a tolerance of 1e-10: 2e-8


@pytest.mark.parametrize(("example", "scene"), EXAMPLES.items())
def test_examples_have_the_numbers_of_the_scenes(example: str, scene: str) -> None:
    spec, text = contactlib.load(scene), PACKAGE.read_text()
    (part,) = re.findall(rf"    model {example} .*?    end {example};", text, re.DOTALL)
    masses, states = mass_properties(spec.compile()), {body.name: body.state for body in spec.rigid_bodies}
    found = dict(re.findall(r"FreeBody (\w+)_body\((.*?)\);", part, re.DOTALL))
    assert list(found) == list(masses)
    assert "world(g = 0," in part and not any(spec.gravity)
    for name, given in found.items():
        own = masses[name]
        expected = [own.mass, *own.com, *own.inertia.ravel(), *states[name]]
        numbers = [float(number) for number in re.findall(r"(?<=[ {])-?[0-9][0-9.e+-]*", given)]
        assert np.array_equal(numbers, np.array(expected, float)), name
