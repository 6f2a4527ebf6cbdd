"""Damping and friction of faces, edges, corners and of a sheet on its edge, held at a depth and moved at a speed.

CONTACTLIB_SOAK multiplies the random motions.
"""

import os

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import contactlib
from tests.support import meshes
from tests.support.scenes import body, scene
from tests.surfaces import closed_paths
from tests.surfaces.faces import law_of, mesh_table, skin

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
SIDE, STIFFNESS, DAMPING, MU = 0.1, 2e4, 50.0, 0.2
CUBE = [[x, y, z] for x in (-SIDE / 2, SIDE / 2) for y in (-SIDE / 2, SIDE / 2) for z in (-SIDE / 2, SIDE / 2)]
SOLIDS = {"box": {"kind": "box", "size": [SIDE] * 3}, "polyhedron": {"kind": "polyhedron", "corners": CUBE},
          "mesh": mesh_table(meshes.cube(SIDE, 2))}
#: attitude, height of the centre over the lowest place, and M(d) of a plane that has the field, by hand
POSES = {
    "face": (Rotation.identity(), SIDE / 2, lambda d, p: SIDE**2 * d**p + 4 * SIDE * d ** (p + 1) / (p + 1)),
    "edge": (Rotation.from_euler("x", 45, degrees=True), SIDE / np.sqrt(2),
             # two faces, and the two ends, which are triangles of half the base d
             lambda d, p: 2 * np.sqrt(2) * SIDE * d ** (p + 1) / (p + 1) + 4 * d ** (p + 2) / ((p + 1) * (p + 2))),
    "corner": (Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])[0], SIDE * np.sqrt(3) / 2,
               lambda d, p: 9 * d ** (p + 2) / ((p + 1) * (p + 2))),
}


def held(shape, law):
    parts = [body("top", "external", [skin(shape)]), body("ground", "fixed", [skin({"kind": "plane"})])]
    return contactlib.Simulation(scene(parts, [law], [["top", "ground"]]).compile())


def expected(M, d, p, speed):
    """The force of a solid M(d) that is d deep; central differences are exact to 1e-9 here."""
    phi = [(M(x, p) / SIDE**2) ** (1 / p) for x in (d, d - 1e-7, d + 1e-7)]
    return max(0.0, (STIFFNESS * phi[0] + DAMPING * speed) * (phi[2] - phi[1]) / 2e-7)


def state_of(R, height, v):
    state = np.zeros((2, 13))
    state[:, 3] = 1.0
    state[0, 2], state[0, 3:7], state[0, 7:10] = height, R.as_quat()[[3, 0, 1, 2]], v
    return state


@pytest.mark.parametrize("sharpness", [2, 4, 16])
@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("solid", SOLIDS)
def test_a_face_an_edge_and_a_corner_have_one_damping_ratio(solid, pose, sharpness):
    """(k Phi + c v) s, Phi = (M/area)^(1/p), s = dPhi/dd: k s^2 and c s on a mass m have the ratio c/(2 sqrt(k m))."""
    R, height, M = POSES[pose]
    simulation = held(SOLIDS[solid], {**law_of(STIFFNESS, DAMPING), "sharpness": sharpness})
    d = 2e-3
    for speed in (0.0, 0.1, -0.1):
        force = simulation.compute(state_of(R, height - d, [0, 0, -speed])).wrench("top")[2]
        assert force == pytest.approx(expected(M, d, sharpness, speed), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("sharpness", [2, 4, 16])
@pytest.mark.parametrize("pose", POSES)
def test_restitution_is_that_of_the_law_whatever_meets(pose, sharpness):
    """F(d) (1 + lambda d') loses the same part of a speed with any F: a face, an edge, a corner that do not turn."""
    R, height, _ = POSES[pose]
    law = law_of(STIFFNESS, 0.0)
    law["normal"] = {"kind": "hunt_crossley", "stiffness": STIFFNESS, "exponent": 1.0, "restitution": 0.6,
                     "impact_speed": 0.5}
    start = {"r": [0, 0, height + 1e-4], "q": R.as_quat()[[3, 0, 1, 2]].tolist(), "v": [0, 0, -0.5]}
    parts = [body("top", "free", [skin(SOLIDS["box"])], mass=0.01, inertia=[1e9] * 3, state=start),  # it does not turn
             body("ground", "fixed", [skin({"kind": "plane"})])]
    tables = scene(parts, [{**law, "sharpness": sharpness}], [["top", "ground"]], gravity=[0.0, 0.0, 0.0],
                   integrator="rk4", step_size=1e-5)
    simulation = contactlib.Simulation(tables.compile())
    while simulation.states[0, 9] < 0.0 or len(simulation.contacts) > 0:
        simulation.step(1e-4)
    assert simulation.states[0, 9] == pytest.approx(0.3, rel=1e-5)  # e v


def test_the_edge_of_a_sheet_is_damped_and_rubs():
    """A triangle that stands on an edge faces the ground nowhere. Its area is SIDE^2, as that of the cube's face."""
    law = law_of(STIFFNESS, DAMPING)
    law["friction"] = {"kind": "coulomb", "mu_static": MU, "mu_kinetic": MU, "slip_velocity": 1e-6}
    simulation = held({"kind": "triangle", "corners": [[-SIDE, 0, 0], [SIDE, 0, 0], [0, 0, SIDE]]}, law)
    d, p = 2e-3, 4

    def M(x, p):  # its width is 2 (SIDE - z) at the height z
        return 2 * SIDE * x ** (p + 1) / (p + 1) - 2 * x ** (p + 2) / ((p + 1) * (p + 2))

    def force(velocity):
        return simulation.compute(state_of(Rotation.identity(), -d, velocity)).wrench("top")[:3]

    for speed in (0.0, 0.1, -0.1):
        assert force([0, 0, -speed])[2] == pytest.approx(expected(M, d, p, speed), rel=1e-7, abs=1e-9)
    for direction in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]):
        assert -force(direction) @ direction == pytest.approx(MU * expected(M, d, p, 0.0), rel=1e-7)


@pytest.mark.parametrize("pair", closed_paths.PAIRS, ids="-".join)
def test_damping_only_takes_energy_and_says_how_much(pair):
    """At random twists, many of which would pull somewhere by rocking, the power of damping is minus the heat."""
    rng = np.random.default_rng(list(map(ord, "".join(pair))))
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": closed_paths.STIFFNESS, "damping": 3e4}, "sharpness": 8}
    simulation = closed_paths.pair_scene(*(closed_paths.SHAPES[shape] for shape in pair), **law)
    held = 0
    for seed in range(9 * SOAK):
        path = closed_paths.random_path(simulation, pair[1] in ("plane", "hills"), closed_paths.MODES[seed % 3], seed)
        if path is None:
            continue
        r, q, _, _ = path.at(rng.uniform(0.0, 2 * np.pi, 1))
        state = simulation.states.copy()
        state[0] = [*r[0], *q[0], *np.zeros(6)]
        twist = rng.normal(size=6) * np.repeat([0.3, 1.0], 3)
        elastic = simulation.compute(state).wrench("top").copy()
        state[0, 7:] = twist
        found = simulation.compute(state)
        damping = found.wrench("top") - elastic
        held += elastic.any()
        power, heat = damping @ twist, found.contacts["heat"].sum()
        # 1e-10: of the sums over the points, against what they cancel
        rounding = 1e-10 * (np.abs(damping * twist).sum() + np.abs(elastic * twist).sum())
        assert heat >= 0.0
        assert power == pytest.approx(-heat, abs=rounding)
    assert held >= 3 * SOAK


@pytest.mark.parametrize("sharpness", [2, 8])
@pytest.mark.parametrize("cells", [(1, 1), (8, 1), (12, 1), (64, 4), (128, 1)])
def test_rocking_is_damped_alike_however_a_face_is_drawn(cells, sharpness):
    """A bar that turns about its long axis, as a box and as meshes of long or short triangles."""
    size, law = [1.0, 0.04, 0.04], {**law_of(STIFFNESS, DAMPING), "sharpness": sharpness}
    states = state_of(Rotation.identity(), size[2] / 2 - 1e-4, [0.0, 0.0, 0.0])
    states[0, 10:] = [1e-3, 2e-4, 0.0]  # so slow that no place would pull: cuts are seen at the points alone
    box = held({"kind": "box", "size": size}, law).compute(states).wrench("top")[3:].copy()
    drawn = held(mesh_table(bar(size, *cells)), law).compute(states).wrench("top")[3:]
    assert abs(box[0]) > 1e-6
    np.testing.assert_allclose(drawn[:2], box[:2], rtol=2e-3)  # eight points for a piece have exact second moments only


def bar(size, n, m):
    """A box of this size, its top and bottom divided into n x m rectangles."""
    x, y = (np.linspace(-0.5, 0.5, k + 1) for k in (n, m))
    grid = np.array([[a, b] for a in x for b in y])
    vertices = np.concatenate([np.c_[grid, np.full(len(grid), z)] for z in (-0.5, 0.5)]) * size
    number = np.arange(len(grid)).reshape(n + 1, m + 1)
    squares = [(number[i, j], number[i + 1, j], number[i + 1, j + 1], number[i, j + 1])
               for i in range(n) for j in range(m)]
    top = [[q + len(grid) for q in square] for square in squares]
    rim = [*number[:, 0], *number[n, 1:], *number[n - 1::-1, m], *number[0, m - 1:0:-1]]
    sides = [(a, b, b + len(grid), a + len(grid)) for a, b in zip(rim, [*rim[1:], rim[0]], strict=True)]
    quads = [*(tuple(square[::-1]) for square in squares), *top, *sides]
    return meshes.Mesh(vertices, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]))


def test_a_sheet_that_leans_spins_as_one_on_its_edge():
    """Its edge is a line of the length L: mu N L/4. From a lean of 0.01 on its face counts as facing the ground."""
    law = law_of(STIFFNESS, 0.0)
    law["friction"] = {"kind": "coulomb", "mu_static": MU, "mu_kinetic": MU, "slip_velocity": 1e-9}
    simulation = held({"kind": "triangle", "corners": [[-SIDE, 0, 0], [SIDE, 0, 0], [0, 0, SIDE]]}, law)
    for lean in (0.0, 0.005, 0.0099, 0.0100002, 0.02, 0.1):
        state = state_of(Rotation.from_euler("x", lean), -1e-4, [0.0, 0.0, 0.0])
        state[0, 12] = 1.0
        wrench = simulation.compute(state).wrench("top")
        assert -wrench[5] == pytest.approx(MU * wrench[2] * 2 * SIDE / 4, rel=0.03), lean


def largest_jump(force, low, high, count):
    """Of a force (6,) between neighbouring values, over the largest force."""
    found = np.array([force(x) for x in np.linspace(low, high, count)])
    return np.abs(np.diff(found, axis=0)).max() / np.abs(found).max()


@pytest.mark.parametrize("sharpness", [2, 4, 8])
def test_damping_is_continuous_for_a_box_between_walls(sharpness):
    """A square tube is 2 mm too narrow. From where all walls press alike to where one of them does, and through the
    speed at which the mean load ends, neither a slide nor a turn has a jump of damping: with more places all steps are
    smaller.
    """
    lines = [-0.8, -0.5, 0.5, 0.8]
    filled = np.ones((3, 3, 1), bool)
    filled[1, 1] = False
    tube = mesh_table(meshes.blocks((lines, lines, [-0.5, 0.5]), filled))
    parts = [body("top", "external", [skin({"kind": "box", "size": [1.002, 1.002, 0.6]})]),
             body("tube", "fixed", [skin(tube)])]
    law = {**law_of(1e6, 2e4), "sharpness": sharpness}
    simulation = contactlib.Simulation(scene(parts, [law], [["top", "tube"]]).compile())

    def damping(x, twist):
        state = state_of(Rotation.identity(), 0.0, [0.0, 0.0, 0.0])
        state[0, 0] = x
        elastic = simulation.compute(state).wrench("top").copy()
        state[0, 7:] = twist
        return simulation.compute(state).wrench("top") - elastic

    for twist in ([0.01, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0.02]):
        jumps = [largest_jump(lambda x, twist=twist: damping(x, twist), 0.0, 5e-4, count) for count in (101, 401)]
        assert jumps[1] < 0.5 * jumps[0] or jumps[1] < 1e-3
    jumps = [largest_jump(lambda v: damping(3e-4, [v, 0.0, 0.0, 0.0, 0.0, 1.0]), -5.0, 5.0, count)
             for count in (101, 401)]
    assert jumps[1] < 0.5 * jumps[0]
