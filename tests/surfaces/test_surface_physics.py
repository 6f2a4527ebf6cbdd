"""Bodies that rest, slide, spin and meet on their faces, against closed forms."""

import numpy as np
import pytest

import contactlib
from tests.support import meshes
from tests.support.scenes import body, scene
from tests.surfaces import faces
from tests.surfaces.faces import GROUNDS, SPINNERS, G, law_of, mesh_table, skin


@pytest.mark.parametrize("seed", range(8))
def test_drops_come_to_rest(seed):
    """A random solid dropped on another one; 3 s are 24 times the time in which its slowest mode falls by e (0.1 s)."""
    assert faces.speed_at_rest(faces.drop(seed)) < 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_elastic_plates_keep_their_energy(seed):
    """RK4 at 0.05 of a radian of the stiffest mode: its own error is below 1e-6 of the energy."""
    assert abs(faces.energy_change(seed)) < 1e-5


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", SPINNERS)
def test_spin_friction(name, ground):
    """2/3 mu m g R of a disc, 0.3826 mu m g a of a square box."""
    assert faces.spin_moment(name, ground) == pytest.approx(1.0, abs=0.01)


# ---- sliding -------------------------------------------------------------------------------------

MASS, STIFFNESS, MU = 1.0, 1e6, 0.3


def on_ground(shapes, ground, slope, mu=MU, height=0.0, step=1e-4, inertia=(2e-3, 2e-3, 2e-3), **state):
    """A body of 1 kg, its centre of mass at its origin, on a ground that leans by `slope` (rad) down along x."""
    top = body("top", "free", shapes, mass=MASS, inertia=list(inertia),
               state={"r": [0.0, 0.0, height - MASS * G / STIFFNESS], **state})
    gravity = [G * np.sin(slope), 0.0, -G * np.cos(slope)]
    law = law_of(STIFFNESS, 2 * 0.3 * np.sqrt(STIFFNESS * MASS), mu)
    tables = scene([top, body("ground", "fixed", ground)], [law], [["top", "ground"]], gravity=gravity, step_size=step)
    return contactlib.Simulation(tables.compile())


@pytest.mark.parametrize("shape", ["box", "disc"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_no_creep(shape, ground):
    """10 degrees, mu 0.5: what sticks does not move. Rounding of a place of 0.1 m is 1e-17 m."""
    simulation = on_ground([skin(faces.solid(shape, 0.1, 0.05))], [skin(GROUNDS[ground])], np.radians(10.0), 0.5, 0.025)
    simulation.data.advance(1.0)
    before = simulation.states[0].copy()
    simulation.data.advance(1.0)
    assert np.abs(simulation.states[0, :7] - before[:7]).max() < 1e-14
    assert np.abs(simulation.states[0, 7:]).max() < 1e-13


def groove(kind):
    """A V groove of 90 degrees along x, its lowest line at the origin: one mesh, or two boxes."""
    if kind == "mesh":
        outline = [(0.0, 0.0), (-0.15, 0.15), (-0.2, 0.15), (-0.2, -0.1), (0.2, -0.1), (0.2, 0.15), (0.15, 0.15)]
        block = meshes.prism(np.array(outline), 2.0).moved((0.0, 0.0, -1.0))
        return [skin(mesh_table(meshes.Mesh(block.vertices[:, [2, 0, 1]], block.triangles)))]
    c, s = np.cos(np.pi / 8), np.sin(np.pi / 8)
    wall = skin({"kind": "box", "size": [2.0, 0.2, 0.1]})
    return [{**wall, "name": name, "q": [c, sign * s, 0.0, 0.0],
             "r": [0.0, sign * 0.5**0.5 * (0.1 + 0.05), 0.5**0.5 * (0.1 - 0.05)]}
            for name, sign in (("left", 1), ("right", -1))]


def bar():
    """A square bar along x that stands on its edge."""
    return [skin({"kind": "box", "size": [0.2, 0.1, 0.1]}, q=[np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0])]


@pytest.mark.parametrize("kind", ["mesh", "boxes"])
def test_wedge(kind):
    """In a V groove of 90 degrees friction is mu/sin(45 degrees) of the load; it sticks below that slope."""
    start = 0.1 * 0.5**0.5
    sliding = on_ground(bar(), groove(kind), np.radians(30.0), height=start)
    speeds = []
    for time in (0.2, 0.1):
        sliding.data.advance(time)
        speeds.append(sliding.states[0, 7])
    acceleration = (speeds[1] - speeds[0]) / 0.1
    factor = (np.sin(np.radians(30.0)) - acceleration / G) / (np.cos(np.radians(30.0)) * MU)
    assert factor == pytest.approx(2**0.5, rel=0.01)
    sticking = on_ground(bar(), groove(kind), 0.99 * np.arctan(2**0.5 * MU), height=start)
    sticking.data.advance(1.0)
    assert np.abs(sticking.states[0, 7:]).max() < 1e-6


@pytest.mark.parametrize("ground", ["plane", "mesh"])
def test_disc_that_slides_and_spins(ground):
    """A thin disc stops sliding and spinning at one time, where v/(R w) = 0.653 (Farkas et al., PRL 90, 248302).

    By Coulomb's law over the whole disc the ratio stays within 0.643 and 0.653 on the way from 0.643 to rest.
    """
    radius, v, w = 0.1, 0.9, 14.0
    disc = skin({"kind": "cylinder", "radius": radius, "length": 0.02, "r": [0.0, 0.0, 0.01]})
    quarter = MASS * radius**2 / 4
    simulation = on_ground([disc], [skin(GROUNDS[ground])], 0.0, v=[v, 0.0, 0.0], w=[0.0, 0.0, w],
                           inertia=(quarter, quarter, 2 * quarter))
    while simulation.states[0, 12] > 0.05 * w:
        simulation.data.advance(1e-4)
    speed, spin = np.linalg.norm(simulation.states[0, 7:9]), simulation.states[0, 12]
    assert speed / (radius * spin) == pytest.approx(0.653, rel=0.02)


def blocks(filled, x, y, z):
    """The surface of the cells of a grid that are filled (nx, ny, nz), between the coordinates x, y, z."""
    points, triangles = [], []
    for cell in np.argwhere(filled):
        for axis in range(3):
            for side in (0, 1):
                other = cell.copy()
                other[axis] += 2 * side - 1
                if (other >= 0).all() and (other < filled.shape).all() and filled[tuple(other)]:
                    continue
                quad = np.zeros((4, 3), int)
                quad[:, axis] = side
                quad[:, (axis + 1) % 3], quad[:, (axis + 2) % 3] = (0, 1, 1, 0), (0, 0, 1, 1)
                at = (cell + (quad if side else quad[::-1])).T
                points.append(np.column_stack([np.asarray(line)[i] for line, i in zip((x, y, z), at, strict=True)]))
                triangles.append(np.array([[0, 1, 2], [0, 2, 3]]) + 4 * (len(points) - 1))
    return meshes.welded(np.concatenate(points), np.concatenate(triangles))


def test_table_on_four_feet():
    """One mesh with four feet far apart resists yaw with mu m g times the mean distance of its feet's area."""
    filled = np.zeros((3, 3, 2), bool)
    filled[:, :, 1] = True
    filled[::2, ::2, 0] = True
    line = [-0.5, -0.4, 0.4, 0.5]
    table = blocks(filled, line, line, [0.0, 0.1, 0.15])
    assert meshes.volume(table) == pytest.approx(0.05 + 4 * 1e-3)
    x, y = np.meshgrid(*[np.linspace(0.4, 0.5, 101)] * 2)
    arm = np.hypot(x, y).mean()
    simulation = on_ground([skin(mesh_table(table))], [skin({"kind": "plane"})], 0.0, w=[0.0, 0.0, 20.0],
                           inertia=(0.1, 0.1, 0.2))
    spins = []
    for _ in range(2):
        simulation.data.advance(0.1)
        spins.append(simulation.states[0, 12])
    assert 0.2 * (spins[0] - spins[1]) / 0.1 == pytest.approx(arm * MU * MASS * G, rel=0.01)
