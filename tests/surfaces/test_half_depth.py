"""More than half of the thinner solid of a surface contact is inside the other one: counted, and told once."""

import re
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import contactlib
from contactlib.coupling import couple
from contactlib.fmu.export import export_fmu
from tests.support import meshes
from tests.support.scenes import body, law, scene

LINE = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0}
PLATE = {"kind": "box", "size": [0.3, 0.2, 0.04]}
PRISM = [[0.1 * np.cos(t), 0.1 * np.sin(t), z] for t in np.arange(6) * np.pi / 3 for z in (-0.03, 0.03)]
CUBE = meshes.cube(0.1, 2)
MESH = {"kind": "mesh", "vertices": CUBE.vertices.tolist(), "triangles": CUBE.triangles.tolist()}
PLANE, BLOCK = {"kind": "plane"}, {"kind": "box", "size": [1.0, 1.0, 1.0]}
UPRIGHT, ACROSS = Rotation.from_rotvec([0, np.pi / 2, 0]), Rotation.identity()


def spec_of(one, other, normal=LINE, motion="external", state=None, **options):
    parts = [body("one", motion, [{"name": "s", "material": "a", **one}], mass=2.0, inertia=[0.05] * 3,
                  state=state or {"r": [0, 0, 10.0]}),
             body("ground", "fixed", [{"name": "s", "material": "b", **other}])]
    return scene(parts, [law("touch", ["a", "b"], normal)], [["one", "ground"]], **options)


def pose(height, attitude=ACROSS):
    return {"r": [0.013, -0.021, height], "q": attitude.as_quat()[[3, 0, 1, 2]].tolist()}


@pytest.mark.parametrize(("one", "other", "attitude", "half", "top"), [
    (PLATE, PLANE, ACROSS, 0.02, 0.0), (PLATE, PLANE, UPRIGHT, 0.15, 0.0), (PLATE, BLOCK, ACROSS, 0.02, 0.5),
    (PLATE, {"kind": "cylinder", "radius": 0.5, "length": 1.0}, ACROSS, 0.02, 0.5),
    ({"kind": "cylinder", "radius": 0.1, "length": 0.06}, BLOCK, ACROSS, 0.03, 0.5),
    ({"kind": "polyhedron", "corners": PRISM}, PLANE, ACROSS, 0.03, 0.0),
    ({"kind": "polyhedron", "corners": PRISM}, BLOCK, ACROSS, 0.03, 0.5),
    ({"kind": "capsule", "radius": 0.05, "length": 0.2}, BLOCK, UPRIGHT, 0.05, 0.5),
    (MESH, PLANE, ACROSS, 0.05, 0.0),
], ids=str)
def test_from_half_of_the_solid_on(one, other, attitude, half, top):
    """`half`: of its height as it stands, `top`: where the other solid ends."""
    simulation = contactlib.Simulation(spec_of(one, other).compile())
    for part, is_deep in ((0.2, False), (0.97, False), (1.03, True), (1.5, True)):
        simulation.compute({"one": pose(top + half - part * half, attitude)})
        assert len(simulation.contacts) == 1 and simulation.deep == is_deep, part


@pytest.mark.parametrize("seed", range(5))
def test_wherever_the_two_are(seed):
    """Shapes that are moved and turned in their bodies, and bodies anywhere, to 7e6 m away."""
    rng = np.random.default_rng(seed)
    inner = [Rotation.random(random_state=rng) for _ in range(2)]
    offsets = rng.uniform(-1, 1, (2, 3))
    forms = [{**form, "r": r.tolist(), "q": R.as_quat()[[3, 0, 1, 2]].tolist()}
             for form, r, R in zip((PLATE, BLOCK), offsets, inner, strict=True)]
    parts = [body(name, "external", [{"name": "s", "material": name, **form}])
             for name, form in zip("ab", forms, strict=True)]
    simulation = contactlib.Simulation(scene(parts, [law("touch", ["a", "b"], LINE)], [["a", "b"]]).compile())
    frame, origin = Rotation.random(random_state=rng), rng.uniform(-1, 1, 3) * 7e6
    for depth, is_deep in ((0.019, False), (0.021, True)):
        states = []
        for r, R, height in zip(offsets, inner, (0.52 - depth, 0.0), strict=True):
            attitude = frame * R.inv()  # of the body: the shape then has the frame's
            at = origin + frame.apply([0, 0, height]) - attitude.apply(r)
            states.append([*at, *attitude.as_quat()[[3, 0, 1, 2]], *[0.0] * 6])
        simulation.compute(np.array(states))
        assert len(simulation.contacts) == 1 and simulation.deep == is_deep


def test_points_and_sheets_are_never_deep():
    for form in ({"kind": "sphere", "radius": 0.1},
                 {"kind": "triangle", "corners": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]}):
        simulation = contactlib.Simulation(spec_of(form, PLANE).compile())
        simulation.compute({"one": pose(-0.02)})
        assert len(simulation.contacts) > 0 and simulation.deep == 0


@pytest.mark.parametrize("middle, deep", [(0.001, 0), (-0.001, 1)])
def test_a_rounded_solid_is_deep_like_a_sharp_one(middle, deep):
    simulation = contactlib.Simulation(spec_of({**PLATE, "rounding": 0.01}, PLANE).compile())
    simulation.compute({"one": pose(middle)})
    assert len(simulation.contacts) == 1 and simulation.deep == deep


def falling(stiffness):
    """A plate of 2 kg that falls onto a plane at 1 m/s."""
    normal = {**LINE, "stiffness": stiffness}
    return spec_of(PLATE, PLANE, normal, motion="free", state={"r": [0, 0, 0.03], "v": [0, 0, -1.0]},
                   gravity=[0, 0, -9.81], step_size=1e-4)


def test_a_run_tells_it_once_and_names_a_stiffness_that_does():
    simulation = contactlib.Simulation(falling(500.0).compile())
    with pytest.warns(contactlib.DeepWarning) as said:
        run = simulation.run(0.2, 1e-3)
    (sentence,) = [str(one.message) for one in said if one.category is contactlib.DeepWarning]
    found = re.search(r"at t = (\S+) s the middle of body 'one' was inside body 'ground', (\S+) m deep.* with a "
                      r"stiffness of (\S+) N/m, .* the load of that time, (\S+) N, would sink in by 0\.004 m", sentence)
    assert found
    time, depth, stiffness, load = map(float, found.groups())
    # it falls 10 mm, and then 20 mm against the spring; numbers have three digits
    fall, w = (np.sqrt(1 + 2 * 9.81 * 0.01) - 1) / 9.81, np.sqrt(500 / 2.0)
    sunk = brentq(lambda t: (1 + 9.81 * fall) / w * np.sin(w * t) + 9.81 / w**2 * (1 - np.cos(w * t)) - 0.02, 0.0, 0.05)
    assert depth == pytest.approx(0.02, abs=2e-4) and time == pytest.approx(fall + sunk, abs=2e-4)
    # M = a b d^4 + 2 (a + b) d^5/5, with the walls: Phi = d (1 + w)^(1/4), dPhi/dd = Phi/d (1 + 5/4 w)/(1 + w)
    wall = 2 * (0.3 + 0.2) * 0.02 / (5 * 0.3 * 0.2)
    assert load == pytest.approx(500 * 0.02 * (1 + wall) ** 0.5 * (1 + 1.25 * wall) / (1 + wall), rel=0.01)
    assert load / stiffness == pytest.approx(0.004, rel=1e-2)
    assert run.deep.max() == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.run(0.01, 1e-3)


def test_a_run_that_is_not_deep_says_nothing():
    run = contactlib.Simulation(falling(2e4).compile()).run(0.2, 1e-3)
    assert not run.deep.any() and run.warnings == ()


def test_the_fmu_tells_it(tmp_path):
    path = export_fmu(falling(500.0).compile(), tmp_path / "half.fmu")
    with pytest.warns(contactlib.StepWarning, match="the middle of body 'one' was inside body 'ground'"):
        run = couple(path, duration=0.1, dt=1e-3).trajectory
    assert sum("the middle of body" in sentence for sentence in run.warnings) == 1


def test_a_saved_state_keeps_it():
    simulation = contactlib.Simulation(falling(500.0).compile())
    for _ in range(60):
        simulation.step(1e-3)
    saved, said = simulation.save(), simulation.warnings
    assert any("the middle of body" in sentence for sentence in said)
    simulation.reset()
    simulation.restore(saved)
    assert simulation.warnings == said and simulation.save() == saved
