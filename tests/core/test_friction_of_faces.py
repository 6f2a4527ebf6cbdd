"""Coulomb friction of faces, by one twist for each pair of shapes: limits, moments, sticking, wedges."""

import numpy as np
import pytest

import contactlib
from contactlib.shapes import quaternion
from tests.support.scenes import body, law, scene

G, M, INERTIA = 9.80665, 2.0, 0.01
FIRM = {"kind": "kelvin_voigt", "stiffness": 1e6, "damping": 2e3}
A, L = 0.2, 0.1  # m, side and height of the solids below

#: each with the mean distance of its even pressure from the middle, m
FACES = {
    "box": ({"kind": "box", "size": [A, A, L]}, 0.3825978582 * A),
    "cylinder": ({"kind": "cylinder", "radius": A / 2, "length": L}, A / 3),
    "polyhedron": ({"kind": "polyhedron",
                    "corners": [[x * A / 2, y * A / 2, z * L / 2] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]},
                   0.3825978582 * A),
}
FLOORS = {"plane": {"kind": "plane"}, "box": {"kind": "box", "size": [4.0, 4.0, 1.0], "r": [0.0, 0.0, -0.5]}}


def bristle(mu, stiffness=1e6):
    return {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": stiffness,
            "tangential_damping": 1e3}


def on_slope(face, floor, degrees, friction, normal=FIRM, **state):
    """A solid with its mass in its lower face, which is as deep as it weighs; the axes of the slope, x downhill."""
    half = np.radians(degrees) / 2
    q = (np.cos(half), 0.0, np.sin(half), 0.0)
    R = np.array(quaternion.rotation_matrix(q))
    sink = M * G * np.cos(2 * half) / normal["stiffness"]
    state = {key: list(R @ value) for key, value in state.items()}
    block = body("block", "free", mass=M, inertia=[INERTIA] * 3, com=[0.0, 0.0, -L / 2],
                 shapes=[{"name": "s", "material": "a", **FACES[face][0]}],
                 state={"r": list(R @ [0.0, 0.0, L / 2 - sink]), "q": list(q), **state})
    ground = body("floor", "fixed", state={"q": list(q)}, shapes=[{"name": "s", "material": "b", **FLOORS[floor]}])
    spec = scene([block, ground], [law("touch", ["a", "b"], normal, friction)], [["block", "floor"]],
                 gravity=[0.0, 0.0, -G], step_size=1e-4)
    return contactlib.Simulation(spec.compile()), R


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("face", FACES)
def test_it_sticks_below_the_friction_angle_and_slides_above(face, floor):
    """At 1.01 times mu = tan 20 deg it stays; at 0.9 times it falls by a tenth of gravity's part along the slope."""
    mu = np.tan(np.radians(20.0))
    simulation, _ = on_slope(face, floor, 20.0, bristle(1.01 * mu))
    run = simulation.run(3.0, 0.01, every=100).body("block")
    assert np.linalg.norm(run[-1, :3] - run[-2, :3]) < 1e-12  # m, in 1 s
    simulation, R = on_slope(face, floor, 20.0, bristle(0.9 * mu))
    run = simulation.run(0.4, 0.01, every=10).body("block")
    fall = G * np.sin(np.radians(20.0)) * (1.0 - 0.9)
    assert (run[-1, 7:10] - run[-3, 7:10]) @ R[:, 0] == pytest.approx(fall * 0.2, rel=1e-3)


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("face", FACES)
def test_a_face_that_spins_is_slowed_by_the_mean_distance_of_its_pressure(face, floor):
    """mu m g times 2/3 R of a disc, 0.3826 a of a square. 1 %: points stand for the pressure."""
    simulation, _ = on_slope(face, floor, 0.0, bristle(0.2), w=[0.0, 0.0, 20.0])
    run = simulation.run(0.02, 1e-3).body("block")
    moment = 0.2 * M * G * FACES[face][1]
    assert INERTIA * (run[10, 12] - run[20, 12]) / 0.01 == pytest.approx(moment, rel=0.01)


@pytest.mark.parametrize("floor", FLOORS)
def test_a_disc_that_slides_and_spins_keeps_farkas_ratio(floor):
    """v/(w R) = 0.653 until both end at once (Farkas, Bartels, Unger, Wolf, Phys. Rev. Lett. 90, 248302, 2003)."""
    simulation, _ = on_slope("cylinder", floor, 0.0, bristle(0.2, 1e7), v=[0.653, 0.0, 0.0], w=[0.0, 0.0, 10.0])
    row = simulation.run(0.6, 1e-3).body("block")
    speed, spin = np.hypot(row[:, 7], row[:, 8]), row[:, 12] * A / 2
    moving = spin > 0.02
    assert spin[-1] < 1e-3 and speed[-1] < 1e-3
    assert speed[moving] / spin[moving] == pytest.approx(np.full(moving.sum(), 0.653), rel=0.02)


def test_the_friction_of_a_face_turns_with_the_bodies():
    """Stuck and stretched, both bodies turn as one: the wrench stays in their axes. No velocity, no sliding."""
    parts = [body(name, "external", shapes=[{"name": "s", "material": name, **FACES["box"][0]}]) for name in ("a", "b")]
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


@pytest.mark.parametrize("part", [0.99, 1.01])
def test_a_wedge_slides_at_mu_over_the_sine_of_its_half_angle(part):
    """A bar in a V groove of 60 degrees: each wall carries m g cos(slope)/(2 sin 30 deg), so that it holds up to
    tan(slope) = mu/sin 30 deg."""
    mu, sine, cosine = 0.2, 0.5, np.sqrt(0.75)
    slope = np.arctan(part * mu / sine)
    corners = [[x, 0.0, 0.0] for x in (-0.1, 0.1)] + [
        [x, side * 0.1 * sine / cosine, 0.1] for x in (-0.1, 0.1) for side in (-1, 1)]
    walls = [{"name": name, "kind": "box", "size": [4.0, 1.0, 1.0], "material": "b",
              "q": [np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0],
              "r": [0.0, side * (0.3 * sine + 0.5 * cosine), 0.3 * cosine - 0.5 * sine]}
             for name, side, angle in (("left", 1, np.pi / 3), ("right", -1, 2 * np.pi / 3))]
    bar = body("bar", "free", mass=M, inertia=[INERTIA] * 3, com=[0.0, 0.0, 0.02],
               shapes=[{"name": "s", "kind": "polyhedron", "corners": corners, "material": "a"}])
    spec = scene([bar, body("groove", "fixed", shapes=walls)], [law("touch", ["a", "b"], FIRM, bristle(mu))],
                 [["bar", "groove"]], gravity=[G * np.sin(slope), 0.0, -G * np.cos(slope)], step_size=1e-4)
    run = contactlib.Simulation(spec.compile()).run(2.0, 0.1).body("bar")
    if part < 1.0:
        assert np.abs(run[-1, 7:10]).max() < 1e-12
    else:
        assert run[-1, 7] - run[-6, 7] == pytest.approx(0.5 * G * np.sin(slope) * (1.0 - 1.0 / part), rel=1e-4)
