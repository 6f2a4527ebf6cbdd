"""Overlaps with meshes that are deeper than contact is defined for: counted and told, everywhere.

Limits in closed form: a tenth of the thinner of box and cube; the radius of a ball and a tenth of the cube.
"""

import warnings

import numpy as np
import pytest

import contactlib
from contactlib.coupling import couple
from contactlib.fmu.export import export_fmu
from contactlib.report.run_report import key_figures
from tests.support import meshes
from tests.support.scenes import body, law, scene

CUBE = meshes.cube(0.5, 2)
THICK = 0.2  # of the box
BOX = {"kind": "box", "size": [0.3, 0.4, THICK]}
PLATE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float) - [0.5, 0.5, 0.0]


def on_mesh(shape, z, mesh=CUBE, motion="external", **more):
    """A body whose origin is z above the middle of a mesh's body."""
    moving = body("one", motion, [{"name": "s", "material": "m", **shape}], mass=1.0, inertia=[0.1, 0.1, 0.1],
                  state={"r": [0.01, 0.02, z]})
    ground = body("ground", "fixed", [{"name": "s", "material": "n", "kind": "mesh", "vertices": mesh.vertices.tolist(),
                                       "triangles": mesh.triangles.tolist()}])
    spring = law("touch", ["m", "n"], {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0})
    return scene([moving, ground], [spring], [["one", "ground"]], step_size=1e-3, **more)


def deep(shape, z, mesh=CUBE):
    simulation = contactlib.Simulation(on_mesh(shape, z, mesh).compile())
    return simulation.deep, len(simulation.contacts)


@pytest.mark.parametrize("shape, reach, limit", [
    (BOX, THICK / 2, THICK / 10),
    ({"kind": "cylinder", "radius": 0.2, "length": 0.3}, 0.15, 0.03),
    ({"kind": "ellipsoid", "semi_axes": [0.2, 0.2, 0.1]}, 0.1, 0.02),
    ({"kind": "mesh", "vertices": (0.4 * CUBE.vertices).tolist(), "triangles": CUBE.triangles.tolist()}, 0.1, 0.02),
    ({"kind": "sphere", "radius": 0.03}, 0.03, 0.03 + 0.05),
    ({"kind": "capsule", "radius": 0.03, "length": 0.1}, 0.03, 0.03 + 0.05),
])
def test_from_the_limit_on(shape, reach, limit):
    """Flat on the cube's face, whose half side is 0.25; a capsule lies on it. The depth that counts is the greatest
    extent: s (1 - (1 - d/s)^2)/2 of an ellipsoid of semi-axis s, d - r/2 of a capsule whose axis is in the cube."""
    turned = {"q": [0.5**0.5, 0.0, 0.5**0.5, 0.0]} if shape["kind"] == "capsule" else {}
    for part, is_deep in ((0.97, False), (1.03, True)):
        depth = part * limit
        if shape["kind"] == "ellipsoid":
            depth = reach * (1 - (1 - 2 * depth / reach) ** 0.5)
        if shape["kind"] == "capsule":
            depth += shape["radius"] / 2
        counted, count = deep({**shape, **turned}, 0.25 + reach - depth)
        assert count > 0
        assert (counted > 0) == is_deep, f"{counted} of {count} contacts at {part} of the limit"


def test_an_open_mesh_has_no_thickness():
    open_plate = type(CUBE)(np.array([*PLATE]), np.array([[0, 1, 2], [0, 2, 3]]))
    with pytest.warns(contactlib.MeshWarning, match="not closed"):
        assert deep({"kind": "sphere", "radius": 0.1}, 0.01, open_plate) == (0, 1)


def test_a_run_tells_it_once():
    """In Python: the count by time, one warning that names time, bodies, depth and limit, and the report's figures."""
    simulation = contactlib.Simulation(on_mesh(BOX, 0.25 + THICK / 2 - 0.05).compile())
    with pytest.warns(contactlib.DeepWarning, match=r"t = 0\.001 s body 'one' was 0\.05 m deep in.* 0\.02 m"):
        run = simulation.run(0.01, 1e-3)
    assert (run.deep == 1).all() and "deep in body" in " ".join(run.warnings)
    assert [fact.value for fact in key_figures(run) if "deep contacts" in fact.name] == [1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.run(0.01, 1e-3)


def test_no_word_where_nothing_is_deep():
    simulation = contactlib.Simulation(on_mesh(BOX, 0.25 + THICK / 2 - 0.01).compile())
    run = simulation.run(0.01, 1e-3)
    assert not run.deep.any() and run.warnings == ()
    assert not [fact for fact in key_figures(run) if "deep" in fact.name]


def test_the_fmu_tells_it(tmp_path):
    """The output contact.deep, and one sentence in the log."""
    path = export_fmu(on_mesh(BOX, 0.25 + THICK / 2 - 0.05).compile(), tmp_path / "deep.fmu")
    with pytest.warns(contactlib.StepWarning, match="deep in body 'ground'"):
        run = couple(path, duration=0.005, dt=1e-3).trajectory
    assert run.deep[0] == 1
    assert sum("deep in body" in sentence for sentence in run.warnings) == 1


def test_a_saved_state_keeps_it():
    simulation = contactlib.Simulation(on_mesh(BOX, 0.25 + THICK / 2 - 0.05).compile())
    simulation.step(1e-3)
    saved, said = simulation.save(), simulation.warnings
    simulation.reset()
    simulation.restore(saved)
    assert simulation.deep == 1 and simulation.warnings == said
