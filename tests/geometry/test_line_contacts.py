"""Bodies that touch along a line, at rest with the right depth and tilt; and the point contacts along a line."""

import numpy as np
import pytest

import contactlib
from contactlib.shapes import quaternion
from tests.oracle.reference_potential import potential
from tests.poses.poses_frames import multiply
from tests.support.compare import point_contacts
from tests.support.scenes import body, law, scene

HALF_TURN = 0.5**0.5
ALONG_X = (HALF_TURN, 0, HALF_TURN, 0)  # turns z into x
ON_EDGE = (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0)  # by 45 degrees about x
WEIGHT, STIFFNESS, OFFSET = 98.0665, 1e6, 0.005  # N, N/m, m

ROD = {"kind": "cylinder", "radius": 0.03, "length": 0.2, "q": ALONG_X, "r": [0, 0, -0.03]}
LONG_ROD = {**ROD, "length": 0.5}
# each with its lowest line along x through its origin
ON_A_CYLINDER = {
    "pad": {"kind": "box", "size": [0.08, 0.05, 0.02], "r": [0, 0, 0.01]},
    "sheet": {"kind": "triangle", "corners": [[0.04, 0.03, 0], [-0.04, 0.03, 0], [0, -0.03, 0]]},
    "cylinder": {**ROD, "r": [0, 0, 0.03]},
    "edge": {"kind": "box", "size": [0.08, 0.04, 0.04], "q": ON_EDGE, "r": [0, 0, 0.04 * HALF_TURN]},
    "edge of a wedge": {"kind": "polyhedron", "corners": [(x, y, abs(y)) for x in (-0.06, 0.06)
                                                          for y in (-0.03, 0, 0.03)]},
    "standing cylinder": {"kind": "cylinder", "radius": 0.04, "length": 0.1, "r": [0, 0, 0.05]},
}  # fmt: skip


PENCIL = {"kind": "capsule", "radius": 0.02, "length": 0.12, "q": ALONG_X, "r": [0, 0, 0.02]}
RIDGE = [(x, y, -abs(y)) for x in (-0.2, 0.2) for y in (-0.1, 0, 0.1)]
# each with an edge along x through its origin, longer or shorter than the pencil
WEDGE = [(0, 1, 2), (3, 5, 4), (0, 4, 1), (0, 3, 4), (1, 5, 2), (1, 4, 5), (0, 5, 3), (0, 2, 5)]
EDGES = {
    "box": {"kind": "box", "size": [0.4, 0.1, 0.1], "q": ON_EDGE, "r": [0, 0, -0.1 * HALF_TURN]},
    "polyhedron": {"kind": "polyhedron", "corners": [(x / 5, y, z) for x, y, z in RIDGE]},
    "mesh": {"kind": "mesh", "vertices": RIDGE, "triangles": WEDGE},
}


def form(shape):
    """(kind, sizes) for the oracle, and its place and orientation in its body."""
    sizes = {key: value for key, value in shape.items() if key not in ("kind", "q", "r", "vertices", "triangles")}
    if shape["kind"] == "mesh":
        sizes["corners"] = shape["vertices"]
    return (shape["kind"], sizes), np.array([*shape.get("r", (0, 0, 0)), *shape.get("q", (1, 0, 0, 0))], float)


def rests(upper, lower):
    """A body with the shape `upper`, its centre of mass off the middle by OFFSET, put on `lower` a little tilted.

    At rest its one contact bears the weight below the centre of mass. The depth and the tilt are right: by brute force,
    the shapes press on each other with the force of the contact, along its line of action.
    """
    top = body("top", "free", mass=10.0, inertia=[0.1, 0.1, 0.1], com=[OFFSET, 0, -0.005],
               shapes=[{"name": "shape", "material": "a", **upper}],
               state={"r": [0, 0, -1e-5], "q": [1.0, 0, 5e-6, 0]})
    ground = body("ground", "fixed", shapes=[{"name": "shape", "material": "b", **lower}])
    normal = {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": 1e4}
    friction = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e5,
                "tangential_damping": 1e3}
    spec = scene([top, ground], [law("touch", ["a", "b"], normal, friction)], [["top", "ground"]], step_size=1e-4,
                 gravity=[0.0, 0.0, -WEIGHT / 10.0])
    simulation = contactlib.Simulation(spec.compile())
    simulation.run(1.5, 1e-2)
    (contact,) = simulation.contacts
    r, q = np.split(simulation.states[0, :7], [3])
    R = quaternion.rotation_matrix(tuple(q))
    com = r + R @ [OFFSET, 0, -0.005]
    first = contact["body_a"] == 0
    force, place = (-1 if first else 1) * contact["f_B_W"], contact["p_AC_W"] + (r if first else 0)
    # it still sways a little, by some 1e-4 of the weight
    assert place[0] == pytest.approx(com[0], abs=5e-5)
    assert force[2] == pytest.approx(WEIGHT, rel=1e-3)
    (a, X_a), (b, X_b) = form(upper), form(lower)
    X_WA = np.array([*(r + R @ X_a[:3]), *multiply(q[None], X_a[None, 3:])[0]])
    found = potential(a, b, X_WA, X_b)
    np.testing.assert_allclose(-STIFFNESS * found.force, force, atol=1e-3 * WEIGHT)
    about_origin = STIFFNESS * (found.torque + np.cross(X_b[:3], found.force))
    np.testing.assert_allclose(-about_origin, np.cross(place, force), atol=1e-3 * WEIGHT * 0.05)


@pytest.mark.parametrize("name", ON_A_CYLINDER)
def test_at_rest_on_a_cylinders_side(name):
    rests(ON_A_CYLINDER[name], LONG_ROD)


@pytest.mark.parametrize("name", EDGES)
def test_a_capsule_at_rest_on_an_edge(name):
    rests(PENCIL, EDGES[name])


def turned(yaw, pitch):
    """A quaternion: by pitch about y, then by yaw about z."""
    y, p = yaw / 2, pitch / 2
    return [np.cos(y) * np.cos(p), -np.sin(y) * np.sin(p), np.cos(y) * np.sin(p), np.sin(y) * np.cos(p)]


CYLINDER, LYING = contactlib.Cylinder(0.02, 0.2), [0, 0, 0, *ALONG_X]


@pytest.mark.parametrize("pitch", [0.0, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("yaw", [0.0, 1e-9, 1e-4, 0.5])
def test_a_pad_turned_on_a_cylinder(yaw, pitch):
    """As a rounded one has it, where its lower face lies over the deepest line: from side to side."""
    pad = contactlib.Box((0.06, 0.02, 0.01))
    m = point_contacts(pad, CYLINDER, [0, 0, 0.025 - 1e-4, *turned(yaw, pitch)], LYING)
    assert m.count[0] == 2
    half = min(0.03 / np.cos(yaw), 0.01 / max(np.sin(yaw), 1e-12))
    # a pitched and yawed pad leans to the side: the deepest line goes around by 25 mm times that, where slanting sides
    # cut it off
    np.testing.assert_allclose(np.sort(m.point[0, :2, 0]), [-half, half], atol=0.1 * pitch + 1e-12)
    expected = 1e-4 + half * pitch * np.cos(yaw) * np.array([-1, 1])  # the slope of the face along the line
    np.testing.assert_allclose(np.sort(m.depth[0, :2]), expected, atol=0.1 * pitch**2 + 1e-15)


# ---- finely faceted solids -----------------------------------------------------------------------


def ball_of_facets(count, radius=0.05):
    """A hull whose corners are spread evenly over a ball."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    rho = np.sqrt(1 - z * z)
    return contactlib.Polyhedron(radius * np.stack([rho * np.cos(turn), rho * np.sin(turn), z], axis=1))


def across_a_ball(rng, n, distance):
    """Poses of a capsule whose axis passes the origin at that distance (n, 1), and those of the ball."""
    out = rng.normal(size=(n, 3))
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    t = np.cross(out, rng.normal(size=(n, 3)))
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    q = np.stack([1 + t[:, 2], -t[:, 1], t[:, 0], 0 * t[:, 0]], axis=1)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    still = np.tile([0, 0, 0, 1.0, 0, 0, 0], (n, 1))
    return np.hstack([distance * out + rng.uniform(-0.03, 0.03, (n, 1)) * t, q]), still


def as_mesh(hull):
    vertices, loops, counts = hull.surface()
    assert (np.asarray(counts) == 3).all()
    return contactlib.Mesh(vertices, np.reshape(loops, (-1, 3)))


@pytest.mark.parametrize("kind", ["polyhedron", "mesh"])
@pytest.mark.parametrize("corners", [66, 130, 258, 514])
def test_a_capsule_on_a_ball_of_facets(corners, kind):
    """As on a ball: one contact at the nearest place, seldom another where the axis is near over a length of more than
    the radius. The nearest place is that of a ball moved along the axis. Of a mesh as a cable's capsule meets it."""
    hull = ball_of_facets(corners)
    solid = hull if kind == "polyhedron" else as_mesh(hull)
    X_WA, X_WB = across_a_ball(np.random.default_rng(1), 300, np.random.default_rng(2).uniform(0.066, 0.069, (300, 1)))
    m = point_contacts(contactlib.Capsule(0.02, 0.1), solid, X_WA, X_WB, max_contacts=64)
    assert m.count.max() <= 2
    assert (m.count == 2).mean() < 0.2
    for i in range(0, 300, 30):
        # a step of 50 um along a curve of at least 20 mm radius
        assert 0 <= m.depth[i].max() - nearest_depth(0.02, hull, X_WA[i], X_WB[i]) < 1e-7


def nearest_depth(r, hull, X_A, X_B, samples=2001):
    """The depth of the deepest of balls along the axis of a capsule 0.1 m long."""
    s, t = np.linspace(-0.05, 0.05, samples), quaternion.rotation_matrix(tuple(X_A[3:]))[:, 2]
    balls = np.hstack([X_A[:3] + s[:, None] * t, np.tile([1.0, 0, 0, 0], (samples, 1))])
    return contactlib.manifolds(contactlib.Sphere(r), hull, balls, np.tile(X_B, (samples, 1))).depth.max()
