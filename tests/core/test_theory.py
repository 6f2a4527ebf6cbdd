"""A sliding ball ends up rolling and a spinning disc comes to rest, on a plane and on a mesh, as theory has it.

The slope is in tests/core/test_physics.py (plane) and tests/mesh/test_terrain.py (meshes).
"""

import numpy as np
import pytest

import contactlib
from tests.support import meshes
from tests.support.scenes import body, law, scene

G, MU = 9.80665, 0.2
FIRM = {"kind": "kelvin_voigt", "stiffness": 1e6, "damping": 2e3}
GRIP = {"kind": "bristle", "mu_static": MU, "mu_kinetic": MU, "tangential_stiffness": 1e6, "tangential_damping": 1e3}
GRID = meshes.flat(37, 2.0)
FLOORS = {"plane": {"kind": "plane"},
          "mesh": {"kind": "mesh", "vertices": GRID.vertices.tolist(), "triangles": GRID.triangles.tolist()}}


def thrown(shape, mass, inertia, floor, **state):
    """On the floor, as deep as it weighs."""
    solid = {"name": "a", "material": "a", **shape}
    moving = body("a", "free", mass=mass, inertia=inertia, shapes=[solid], state=state)
    ground = body("floor", "fixed", shapes=[{"name": "floor", "material": "b", **FLOORS[floor]}])
    spec = scene([moving, ground], [law("touch", ["a", "b"], FIRM, GRIP)], [["a", "floor"]],
                 gravity=[0.0, 0.0, -G], step_size=1e-5)
    return contactlib.Simulation(spec.compile())


@pytest.mark.parametrize("floor", FLOORS)
def test_a_sliding_ball_rolls_in_the_end(floor):
    """v falls by mu g, w grows by 5 mu g / (2 R) until v = w R = 5/7 v0: at t = 2 v0 / (7 mu g), after
    12/49 v0^2/(mu g), whatever its direction across the grid."""
    R, m, v0 = 0.1, 1.5, 1.0
    sink = m * G / FIRM["stiffness"]
    along = np.array([0.8, 0.6, 0.0])
    simulation = thrown({"kind": "sphere", "radius": R}, m, [0.4 * m * R * R] * 3, floor,
                        r=[-0.3, -0.2, R - sink], v=list(v0 * along))
    end = 2 * v0 / (7 * MU * G)
    half = simulation.run(end / 2, end / 2).body("a")[-1]
    # the contact is half the depth above the ball's lowest point, and the bristle has to be drawn first: 2e-6 m of 0.12
    assert half[7:10] @ along == pytest.approx(v0 - MU * G * end / 2, rel=1e-4)
    there = simulation.run(end / 2, end / 2).body("a")[-1]
    assert (there[:3] - [-0.3, -0.2, R - sink]) @ along == pytest.approx(12 / 49 * v0**2 / (MU * G), rel=1e-4)
    last = simulation.run(0.2, 0.1).body("a")[-1]
    assert last[7:10] @ along == pytest.approx(5 / 7 * v0, rel=1e-4)
    assert np.cross([0.0, 0.0, 1.0], last[7:10]) == pytest.approx(last[10:] * (R - sink / 2), abs=1e-4)


@pytest.mark.parametrize("floor", FLOORS)
def test_a_spinning_disc_stops(floor):
    """Even pressure on its face: 2/3 mu m g R = -m R^2/2 w', so that it turns by 3 w0^2 R / (8 mu g) and stands.

    Points stand for the pressure: 1 % for the mean distance from the axis.
    """
    R, m, w0 = 0.1, 2.0, 8.0
    sink = m * G / FIRM["stiffness"]
    simulation = thrown({"kind": "cylinder", "radius": R, "length": 0.04}, m,
                        [m * (R * R / 4 + 0.04**2 / 12)] * 2 + [m * R * R / 2], floor,
                        r=[0.013, 0.021, 0.02 - sink], w=[0.0, 0.0, w0])
    fall = 4 * MU * G / (3 * R)
    row = simulation.run(0.1, 0.1).body("a")[-1]
    assert w0 - row[12] == pytest.approx(fall * 0.1, rel=0.01)
    turned = simulation.run(w0 / fall, 0.02).body("a")[-1]
    assert 2 * np.arctan2(turned[6], turned[3]) == pytest.approx(w0**2 / (2 * fall), rel=0.01)
    simulation.run(0.3, 0.1)
    before = simulation.states[0].copy()
    simulation.run(0.2, 0.1)
    assert np.abs(simulation.states[0, :7] - before[:7]).max() < 1e-12
