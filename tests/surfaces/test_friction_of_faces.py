"""Friction of faces by one twist for each pair of shapes: the limit on a slope and on edges, bodies that turn together.

Spin, wedges and Farkas' ratio are in tests/surfaces/test_surface_physics.py.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import contactlib
from contactlib.shapes import quaternion
from tests.support import meshes
from tests.support.scenes import body, law, scene
from tests.surfaces.faces import mesh_table

G, M, A, L = 9.80665, 2.0, 0.2, 0.1  # m/s2; kg; m, side and height of a solid
FIRM = {"kind": "kelvin_voigt", "stiffness": 1e6, "damping": 2e3}
CORNERS = [[x * A / 2, y * A / 2, z * L / 2] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SOLIDS = {"box": {"kind": "box", "size": [A, A, L]}, "cylinder": {"kind": "cylinder", "radius": A / 2, "length": L},
          "polyhedron": {"kind": "polyhedron", "corners": CORNERS}}
FLOORS = {"plane": {"kind": "plane"}, "box": {"kind": "box", "size": [4.0, 4.0, 1.0], "r": [0.0, 0.0, -0.5]}}


def bristle(mu, stiffness=1e6, damping=1e3):
    return {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": stiffness,
            "tangential_damping": damping}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("solid", SOLIDS)
@pytest.mark.parametrize("part", [1.01, 0.99])
def test_it_sticks_up_to_the_friction_angle(solid, floor, part):
    """20 degrees with mu = part tan 20 deg: stands still, or falls by 1 % of gravity's part along the slope."""
    slope = np.radians(20.0)
    block = body("block", "free", mass=M, inertia=[0.01] * 3, shapes=[{"name": "s", "material": "a", **SOLIDS[solid]}],
                 state={"r": [0.0, 0.0, L / 2 - M * G * np.cos(slope) / FIRM["stiffness"]]})
    ground = body("floor", "fixed", shapes=[{"name": "s", "material": "b", **FLOORS[floor]}])
    spec = scene([block, ground], [law("touch", ["a", "b"], FIRM, bristle(part * np.tan(slope)))], [["block", "floor"]],
                 gravity=[G * np.sin(slope), 0.0, -G * np.cos(slope)], step_size=1e-4)
    speed = contactlib.Simulation(spec.compile()).run(1.0, 0.1).body("block")[:, 7]
    if part > 1.0:
        assert np.abs(speed[-1]) < 1e-13
    else:  # it has tilted back by then
        assert speed[-1] - speed[-6] == pytest.approx(0.5 * (1.0 - part) * G * np.sin(slope), rel=1e-3)


def test_the_friction_of_a_face_turns_with_the_bodies():
    """Stuck and stretched, both bodies turn as one: the wrench stays in their axes. No velocity, no sliding."""
    parts = [body(name, "external", shapes=[{"name": "s", "material": name, **SOLIDS["box"]}]) for name in ("a", "b")]
    spec = scene(parts, [law("touch", ["a", "b"], FIRM, bristle(1.0, 1e4))], [["a", "b"]], step_size=1e-3)
    simulation = contactlib.Simulation(spec.compile())
    p, axis, still = np.array([0.02, 0.03, L - 1e-4]), np.array([0.48, -0.64, 0.6]), [0.0, 0.0, 0.0]
    simulation.step(1e-3, {"b": {"r": p, "v": (0.02, 0.01, 0.0), "w": (0.0, 0.0, 0.1)}})
    found = []
    for k in range(1001):
        q = (np.cos(1.5e-3 * k), *(np.sin(1.5e-3 * k) * axis))
        R = np.array(quaternion.rotation_matrix(q))
        wrench = simulation.step(1e-3, {"a": {"q": q, "v": still, "w": still},
                                        "b": {"r": R @ p, "q": q, "v": still, "w": still}}).wrench("b")
        found.append((wrench.reshape(2, 3) @ R).ravel())
    assert found[0][0] < -0.1 and found[0][1] < -0.05 and found[0][5] < -1e-3  # N, N, N m
    np.testing.assert_allclose(found[-1], found[0], rtol=0, atol=1e-9)


RAIL, PLATE = 0.5, 0.05  # m: of the thicker solid, which has the extent field, and of the plate on its edge or corner
HIGH = {"edge": ("y", [RAIL / 2, 0.0, RAIL / 2]), "corner": ("yx", [RAIL / 2] * 3)}  # by turns about these axes


def rail(kind):
    if kind == "box":
        return {"kind": "box", "size": [RAIL] * 3}
    if kind == "polyhedron":
        return {"kind": "polyhedron", "corners": meshes.cube(RAIL, 1).vertices.tolist()}
    cube = meshes.cube(RAIL, 3)
    noise = np.random.default_rng(1).uniform(-1e-7, 1e-7, cube.vertices.shape) * RAIL if kind == "seven digits" else 0.0
    return mesh_table(meshes.Mesh(cube.vertices + noise, cube.triangles))


@pytest.mark.parametrize("tilt", [0.1, 10.0, 45.0])
@pytest.mark.parametrize("rests_on", HIGH)
@pytest.mark.parametrize("kind", ["box", "polyhedron", "mesh", "seven digits"])
def test_a_plate_on_an_edge_slides_at_mu_times_the_force(kind, rests_on, tilt):
    """Whichever solid has the field: Coulomb's law in the plane of the plate, in every direction."""
    order, high = HIGH[rests_on]
    axes = Rotation.from_euler(order, [-tilt] + [tilt] * (len(order) - 1), degrees=True)
    x, y, z, w = axes.as_quat()
    coulomb = {"kind": "coulomb", "mu_static": 0.3, "mu_kinetic": 0.3, "slip_velocity": 1e-6}
    parts = [body("plate", "external", shapes=[{"name": "s", "material": "a", "kind": "box", "size": [PLATE] * 3,
                                                "r": [0.0, 0.0, PLATE / 2]}]),
             body("rail", "fixed", shapes=[{"name": "s", "material": "b", **rail(kind)}], state={"q": [w, x, y, z]})]
    touch = law("touch", ["a", "b"], {**FIRM, "damping": 0.0}, coulomb)
    simulation = contactlib.Simulation(scene(parts, [touch], [["plate", "rail"]]).compile())
    for angle in np.radians([0.0, 70.0, 180.0, 260.0]):
        v = np.array([np.cos(angle), np.sin(angle), 0.0])
        at = axes.apply(high) + np.array([0.003, 0.002, -1e-5])
        force = simulation.compute({"plate": {"r": at, "v": 0.1 * v}}).wrench("plate")[:3]
        # at 1e5 slip velocities Coulomb's force is within 1e-10 of its limit; the tilt of 0.1 deg costs three digits;
        # noise of 1e-7 of the size turns the edge and moves it by 1e-2 of the depth
        near = 1e-4 if kind == "seven digits" else 1e-8
        np.testing.assert_allclose(force, force[2] * np.array([0, 0, 1] - 0.3 * v), rtol=0, atol=near * force[2])
        assert force[2] > 1e-4
